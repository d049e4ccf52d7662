"use strict";
/* Corrections: a person says what is the same event and what is not. A served page posts each decision, which is then
   on disk; a page from a file collects them and offers them as corrections.jsonl. */
(async () => {
  const $ = (selector, at = document) => at.querySelector(selector);
  const $$ = (selector, at = document) => [...at.querySelectorAll(selector)];
  const page = document.documentElement;
  const block = document.getElementById("review");
  if (!page.classList.contains("js") || !block) return;
  const packed = Uint8Array.from(atob(block.textContent), (byte) => byte.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const data = JSON.parse(await new Response(stream).json());
  const served = page.dataset.served !== undefined;
  const store = `samevent-corrections-${data.key}`;

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  function button(words, action, attributes = {}) {
    const element = make("button", { type: "button", ...attributes }, words);
    element.addEventListener("click", action);
    return element;
  }

  /* Decisions: where they are kept, and which of them stand. */

  let decisions = [];

  async function load() {
    if (served) return (await (await fetch("decisions")).json()).decisions;
    try {
      return JSON.parse(localStorage.getItem(store) ?? "[]");
    } catch {
      return []; // a page from a file may not be allowed to keep anything
    }
  }

  async function decide(kind, groups, fields = {}) {
    const decision = { decision: kind, ...(groups.length ? { groups } : {}), ...fields };
    if (served) {
      const headers = { "Content-Type": "application/json" };
      let answer;
      try {
        const response = await fetch("decisions", { method: "POST", headers, body: JSON.stringify(decision) });
        answer = await response.json();
      } catch {
        return tell("This decision was not saved: the review has ended. Start samevent review again.", true);
      }
      if (answer.error) return tell(`Not saved: ${answer.error}`, true);
      decisions.push(answer);
    } else {
      const id = [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      decisions.push({ id, time: `${new Date().toISOString().slice(0, 19)}Z`, ...decision });
      try {
        localStorage.setItem(store, JSON.stringify(decisions));
      } catch {
        /* it is still in the list, to be downloaded */
      }
    }
    refresh();
    tell(`${served ? "Saved" : "Noted"}: ${WORDS[kind]}.`);
    return true;
  }

  const WORDS = {
    same: "same event",
    different: "not the same event",
    split: "split",
    "not-an-event": "not an event",
    rename: "renamed",
    undo: "undone",
  };

  function standing() {
    const undone = new Set();
    return [...decisions]
      .reverse()
      .filter((decision) => {
        if (undone.has(decision.id)) return false;
        if (decision.undoes) undone.add(decision.undoes);
        return !decision.undoes;
      })
      .reverse();
  }

  /* Mentions as decisions name them. */

  const unpack = ([document, start, end, text]) => ({
    id: "",
    document: data.documents[document],
    char_start: start,
    char_end: end,
    text: data.texts[text],
  });
  const key = (mention) => JSON.stringify([mention.document, mention.char_start, mention.char_end]);
  const marked = (number) => (data.mentions[number] ? unpack(data.mentions[number]) : null);
  const numberOf = (link) => link.hash.slice(2);
  const members = (article) => $$("section li > a, p.more a", article).map((link) => marked(numberOf(link))).filter(Boolean);

  /* The bar at the bottom: what was decided, undo, download. */

  const said = make("span", { role: "status", "aria-live": "polite" });
  const count = make("b", {});
  const undo = button("Undo", () => {
    const last = standing().at(-1);
    if (last) decide("undo", [], { undoes: last.id });
  });
  const download = button("Download corrections.jsonl", () => {
    const lines = decisions.map((decision) => `${JSON.stringify(decision)}\n`);
    const link = make("a", { download: "corrections.jsonl" });
    link.href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  const bar = make("aside", { id: "decided", "aria-label": "Decisions", hidden: "" }, count, said, undo, served ? "" : download);
  document.body.append(bar);

  function tell(words, wrong = false) {
    said.textContent = words;
    said.classList.toggle("wrong", wrong);
    bar.hidden = false;
  }

  /* What a person said about mentions, shown where they stand. */

  function refresh() {
    const known = standing();
    bar.hidden = !known.length && !said.textContent;
    count.textContent = `${known.length.toLocaleString("en")} ${known.length === 1 ? "decision" : "decisions"}`;
    undo.disabled = !known.length;
    const about = new Map();
    for (const decision of known) {
      for (const mention of (decision.groups ?? []).flat()) about.set(key(mention), decision);
    }
    for (const item of $$("article.on section li")) note(item, about);
    for (const card of $$(".card")) {
      const pair = data.questions[Number(card.id.slice(1))]?.map(unpack);
      const found = pair && known.findLast((decision) => pair.every((mention) => (decision.groups ?? []).flat().some((each) => key(each) === key(mention))));
      card.classList.toggle("done", Boolean(found));
      $(".answer", card)?.replaceChildren(found ? `You said: ${WORDS[found.decision]}.` : "");
    }
    const article = $("#events article.on");
    const name = article && known.findLast((decision) => decision.label && members(article).some((mention) => key(mention) === key(decision.groups[0][0])));
    if (article) {
      const shown = $(".renamed", article) ?? $("h3", article).appendChild(make("small", { class: "renamed" }));
      shown.textContent = name ? ` → ${name.label}` : "";
    }
  }

  function note(item, about) {
    const number = numberOf($("a", item));
    const decision = marked(number) && about.get(key(marked(number)));
    const before = (data.marks[number] ?? []).map(([kind]) => kind);
    let badge = $(".person", item);
    const words = decision ? `You said: ${WORDS[decision.decision]}` : before.length ? `A person decided: ${[...new Set(before)].map((kind) => WORDS[kind]).join(", ")}` : "";
    if (!words) return badge?.remove();
    badge ??= item.appendChild(make("small", { class: "person" }));
    badge.textContent = words;
  }

  /* Tools on an event: tick mentions, say what they are. */

  function equip(article) {
    if (!article || $(".text", article)) return;
    for (const item of $$("section li", article)) {
      const link = $("a", item);
      if ($("input.tick", item) || !marked(numberOf(link))) continue;
      const words = $("mark", item)?.textContent ?? "this mention";
      const box = make("input", { type: "checkbox", class: "tick", "aria-label": `Select “${words}”` });
      box.addEventListener("input", () => choices(article));
      item.prepend(box);
      item.classList.add("ticked");
    }
    if (!$(".correct", article)) {
      const tools = make("div", { class: "correct", role: "toolbar", "aria-label": "Correct this event" });
      ($("header", article) ?? article).append(tools);
    }
    choices(article);
    refresh();
  }

  function choices(article) {
    const all = $$("input.tick", article);
    const ticked = all.filter((box) => box.checked).map((box) => marked(numberOf($("a", box.parentNode))));
    const chosen = new Set(ticked.map(key));
    const rest = members(article).filter((mention) => !chosen.has(key(mention)));
    const clear = async (done) => {
      if (!(await done)) return;
      for (const box of all) box.checked = false;
      choices(article);
    };
    const tools = $(".correct", article);
    const many = ticked.length === 1 ? "it" : "they";
    const buttons = !ticked.length
      ? [
          members(article).length > 1 && button("All one event", () => decide("same", [members(article)]), { title: "Confirm that all mentions are the same event" }),
          button("Same event as …", () => merge(article), { title: "Join it with another event" }),
          button("Rename", () => rename(article)),
          make("small", {}, "or tick mentions that are wrong"),
        ]
      : [
          make("small", {}, `${ticked.length.toLocaleString("en")} ticked:`),
          ticked.length > 1 && button("Same event", () => clear(decide("same", [ticked]))),
          rest.length > 0 && button("Not the same", () => clear(decide("different", [ticked, rest])), { title: `Not the same event as the others; ${many} may be several` }),
          rest.length > 0 && button("Split off", () => clear(decide("split", [ticked, rest])), { title: "The ticked mentions are one event, the others another" }),
          button("Not an event", () => clear(decide("not-an-event", [ticked]))),
        ];
    tools.replaceChildren(...buttons.filter(Boolean));
  }

  /* Dialogs: another event, another name. */

  function ask(title, body, action, confirm) {
    const dialog = make("dialog", { class: "ask", "aria-label": title });
    const form = make("form", { method: "dialog" }, make("h2", {}, title), body);
    const close = button("Cancel", () => dialog.close());
    const submit = make("button", { type: "submit" }, confirm);
    form.append(make("p", {}, submit, " ", close));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      dialog.close();
      action();
    });
    dialog.append(form);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
  }

  function rename(article) {
    const now = $("h3", article).firstChild.textContent;
    const input = make("input", { type: "text", maxlength: "300", required: "", "aria-label": "New name" });
    input.value = now;
    ask("Rename this event", input, () => input.value.trim() && decide("rename", [members(article)], { label: input.value.trim() }), "Rename");
    input.select();
  }

  function merge(article) {
    const others = $$("#events article").filter((other) => other !== article && members(other).length);
    const search = make("input", { type: "search", placeholder: "Search events", "aria-label": "Search events" });
    const select = make("select", { size: "8", required: "", "aria-label": "The other event" });
    const named = others.map((other) => [$("h3", other).firstChild.textContent, other]);
    const fill = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = named.filter(([label]) => words.every((word) => label.toLowerCase().includes(word))).slice(0, 200);
      select.replaceChildren(...found.map(([label, other]) => make("option", { value: other.id }, `${label} (${members(other).length})`)));
      if (select.options.length) select.selectedIndex = 0;
    };
    search.addEventListener("input", fill);
    fill();
    const action = () => {
      const other = document.getElementById(select.value);
      if (other) decide("same", [[...members(article), ...members(other)]]);
    };
    ask("This is the same event as", make("div", {}, search, select), action, "Same event");
  }

  /* Questions */

  for (const card of $$(".card")) {
    const pair = data.questions[Number(card.id.slice(1))]?.map(unpack);
    if (!pair) continue;
    const next = () => card.nextElementSibling && $("button", card.nextElementSibling)?.focus();
    const answer = async (kind, groups) => (await decide(kind, groups)) && next();
    card.append(
      make(
        "div",
        { class: "correct", role: "toolbar", "aria-label": "Your answer" },
        button("Same event", () => answer("same", [pair])),
        button("Not the same", () => answer("different", [[pair[0]], [pair[1]]])),
        make("small", { class: "answer" }),
      ),
    );
  }

  document.addEventListener("samevent:opened", (event) => equip(event.detail));
  decisions = await load();
  page.classList.add("review");
  equip($("#events article.on"));
  refresh();
})();
