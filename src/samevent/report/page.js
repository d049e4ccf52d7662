"use strict";
(async () => {
  const $ = (selector, at = document) => at.querySelector(selector);
  const $$ = (selector, at = document) => [...at.querySelectorAll(selector)];
  const page = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const target = (link) => (link.getAttribute("href").startsWith("#") ? byId(link.hash.slice(1)) : null);
  if (!page.classList.contains("js")) return; // this browser cannot unpack the data

  /* Light or dark: what the system says, until somebody chooses. */

  function stored(choice) {
    try {
      if (choice) localStorage.setItem("samevent-theme", choice);
      return localStorage.getItem("samevent-theme");
    } catch {
      return null; // a page from a file may not be allowed to keep anything
    }
  }

  if (stored()) page.dataset.theme = stored();
  byId("theme")?.addEventListener("click", () => {
    const dark = page.dataset.theme ? page.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    page.dataset.theme = stored(dark ? "light" : "dark") ?? (dark ? "light" : "dark");
  });

  /* What the page itself does not say: sort keys and reasons, packed. */

  const packed = Uint8Array.from(atob(byId("data").textContent), (byte) => byte.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const data = await new Response(unpacked).json();

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  /* Lists: what is in them, which of it is shown, in which order. */

  const undated = (row) => row.keys[2] === "";
  const ORDERS = {
    weight: (a, b) => a.keys[6] - b.keys[6] || b.keys[5] - a.keys[5],
    size: (a, b) => b.keys[0] - a.keys[0],
    documents: (a, b) => b.keys[1] - a.keys[1],
    date: (a, b) => undated(a) - undated(b) || (a.keys[2] > b.keys[2]) - (a.keys[2] < b.keys[2]),
    sure: (a, b) => (b.keys[3] ?? -1) - (a.keys[3] ?? -1),
    doubt: (a, b) => (a.keys[3] ?? 2) - (b.keys[3] ?? 2),
    reading: (a, b) => a.keys[4] - b.keys[4],
  };

  class List {
    constructor(view) {
      this.view = view;
      this.panes = $(".panes", view);
      this.pane = $(".list", view);
      const controls = ["input[type=search]", "#across", "#unsure", "#background", "#singles", "#sort"].map((selector) => $(selector, view));
      [this.search, this.across, this.unsure, this.background, this.singles, this.order] = controls;
      this.rows = $$(".list li", view).map((item, place) => ({ item, link: $("a", item), keys: this.order && data.rows[place] }));
      this.holder = $(".rows", this.pane) ?? make("ol", { class: "rows" });
      this.pane.prepend(this.holder);
      if (this.singles && !this.rows.some((row) => row.keys[0] > 1)) this.singles.checked = true;
      if (this.background && !this.rows.some((row) => row.keys[0] > 1 && !row.keys[6])) this.background.checked = true;
      for (const control of controls) control?.addEventListener("input", () => this.update());
      this.update();
    }

    /* The words to look for; those after a minus must not occur. */
    get words() {
      return this.asked.filter((word) => !word.startsWith("-"));
    }

    get asked() {
      return this.search.value.toLowerCase().split(/\s+/).filter((word) => word && word !== "-");
    }

    update() {
      const words = this.words;
      const kept = this.rows.filter((row) => this.keeps(row));
      const without = this.asked.filter((word) => word.startsWith("-")).map((word) => word.slice(1));
      const told = (row, word) => this.text(row).includes(word);
      this.shown = kept.filter((row) => words.every((word) => told(row, word)) && !without.some((word) => told(row, word)));
      const named = new Map(this.shown.map((row) => [row, words.filter((word) => this.name(row).includes(word)).length]));
      const order = this.order ? (a, b) => ORDERS[this.order.value](a, b) || ORDERS.reading(a, b) : () => 0;
      this.shown.sort((a, b) => named.get(b) - named.get(a) || order(a, b)); // titles and labels first
      this.holder.replaceChildren(...this.shown.map((row) => row.item));
      this.pane.scrollTop = 0;
      const one = this.view.id.replace(/ies$/, "ys").slice(0, -1);
      const all = `${kept.length.toLocaleString("en")} ${kept.length === 1 ? one : this.view.id}`;
      $("output", this.view).textContent = this.asked.length ? `${this.shown.length.toLocaleString("en")} of ${all}` : all;
      const listed = new Set(this.shown.map((row) => row.link.hash));
      for (const article of $$("article", this.view)) article.classList.toggle("out", !listed.has(`#${article.id}`));
      this.light();
    }

    light() {
      const lit = CSS.highlights?.set("found", new Highlight()).get("found");
      if (!lit || !this.words.length) return;
      const article = $("article.on", this.view);
      for (const { link } of this.shown.slice(0, 200)) this.mark(lit, link);
      if (article) this.mark(lit, article);
    }

    mark(lit, place) {
      const walk = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
      for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const text = node.data.toLowerCase();
        if (text.length !== node.data.length) continue; // some letters grow when they become small
        for (const word of this.words) {
          for (let place = text.indexOf(word); place >= 0; place = text.indexOf(word, place + word.length)) {
            lit.add(new StaticRange({ startContainer: node, startOffset: place, endContainer: node, endOffset: place + word.length }));
          }
        }
      }
    }

    keeps({ keys }) {
      if (!keys) return true;
      if (this.across.checked && keys[1] < 2) return false;
      if (this.unsure.checked && !(keys[3] !== null && keys[3] < 0.5)) return false;
      if (this.background && !this.background.checked && keys[6]) return false;
      return !this.singles || this.singles.checked || keys[0] > 1;
    }

    text(row) {
      const place = target(row.link);
      const told = place?.matches("article") ? place : place?.parentNode;
      return (row.text ??= `${row.item.textContent} ${told?.textContent ?? ""}`.toLowerCase());
    }

    name(row) {
      return (row.name ??= ($("b", row.link) ?? row.link).textContent.toLowerCase());
    }

    move(step) {
      const place = (test) => this.shown.findIndex(test);
      const focused = place((row) => row.link === document.activeElement);
      const from = focused >= 0 ? focused : place((row) => row.link === this.current);
      this.shown[Math.max(0, Math.min(this.shown.length - 1, from + step))]?.link.focus();
    }

    open(article) {
      for (const other of $$("article.on", this.view)) other.classList.remove("on");
      this.current?.removeAttribute("aria-current");
      article?.classList.add("on");
      this.current = article && this.rows.find((row) => row.link.hash === `#${article.id}`)?.link;
      this.current?.setAttribute("aria-current", "true");
      if (this.pane.scrollHeight > this.pane.clientHeight) this.current?.scrollIntoView({ block: "nearest" });
      this.light();
    }
  }

  /* Events: the sentences that a large page does not repeat, and reasons as bars. */

  function complete(event) {
    const groups = new Map($$("section", event).map((group) => [$("h4 a", group)?.hash ?? "doubtful", $("ol", group)]));
    for (const link of $$("p.more a", event)) if (target(link)?.closest("span")) unfold(event, link, target(link), groups);
    for (const item of $$("li", event)) {
      const [closest, similarity, probability, ...reasons] = data.whys[$("a", item).hash.slice(2)] ?? [];
      if (!reasons.length || $("button", item)) continue;
      const words = byId(`m${closest}`)?.textContent ?? "another mention";
      const why = $("small", item) ?? item.appendChild(make("small", {}));
      const points = data.points[$("a", item).hash.slice(2)] ?? [];
      const agreed = points.filter(([agrees]) => agrees).map(([, about]) => data.words[about]);
      const reason = agreed.length ? `: ${agreed.join("; ")}` : "";
      if (!$("a", why)) why.append(make("span", {}, "closest to ", make("a", { href: `#m${closest}` }, words), reason));
      const button = make("button", { type: "button", "aria-expanded": "false" }, "why");
      why.append(" ", button);
      button.addEventListener("click", () => {
        const open = button.getAttribute("aria-expanded") === "true";
        button.setAttribute("aria-expanded", String(!open));
        if (open) why.nextElementSibling.remove();
        else why.after(make("div", { class: "reasons" }, ...sides($("a", item).hash.slice(1), `m${closest}`, points), bars(similarity / 100, probability / 100, reasons)));
      });
    }
  }

  function unfold(event, link, mark, groups) {
    const number = link.nextSibling.textContent.trim();
    const doubtful = number !== "" && Number(number) < 0.5;
    const sure = number ? make("var", { class: `p${Math.floor(20 * number)}${doubtful ? " low" : ""}` }, number) : "read";
    const sentence = mark.closest("span").cloneNode(true);
    for (const other of $$("a", sentence)) other.replaceWith(other.id === mark.id ? make("mark", {}, other.textContent) : other.textContent);
    const item = make("li", {}, make("a", { href: link.hash }, sure), make("q", {}, ...sentence.childNodes));
    const home = mark.closest("article");
    const name = $("h3", home).textContent;
    const key = doubtful ? "doubtful" : `#${home.id}`;
    if (doubtful) item.append(make("small", {}, make("cite", {}, name)));
    if (!groups.has(key)) {
      groups.set(key, make("ol", {}));
      $("p.more", event).before(make("section", {}, make("h4", {}, make("a", { href: key }, name)), groups.get(key)));
    }
    groups.get(key).append(item);
    link.nextSibling.remove();
    link.remove();
  }

  /* Why: both sentences side by side, what agrees and what contradicts marked in them; the figures one click deeper. */

  function sides(first, second, points) {
    const shown = [first, second].map((id, side) => {
      const mark = byId(id);
      const sentence = mark?.closest(".text span");
      if (!sentence) return make("div", {}, make("q", {}, mark?.textContent ?? "…"));
      const spans = points.map((point) => [point[0] ? "agree" : "against", point[2 + side]]);
      return make("div", {}, make("small", {}, $("h3", mark.closest("article")).textContent), make("q", {}, ...pieces(sentence, mark, spans)));
    });
    const list = points.map(([agrees, about]) => make("li", { class: agrees ? "agree" : "against" }, data.words[about]));
    const none = make("p", {}, "No word, name, time, place or number is in both; their contexts are alike.");
    return [make("div", { class: "both" }, ...shown), list.length ? make("ul", { class: "points" }, ...list) : none];
  }

  function pieces(sentence, mark, spans) {
    const text = sentence.textContent;
    const kinds = new Array(text.length).fill("");
    for (const [kind, edges] of spans) for (let i = 0; i < edges.length; i += 2) kinds.fill(kind, edges[i], edges[i + 1]);
    const before = document.createRange();
    before.setStart(sentence, 0);
    before.setEndBefore(mark);
    const start = before.toString().length;
    kinds.fill("mark", start, start + mark.textContent.length);
    const made = [];
    for (let from = 0, to = 0; from < text.length; from = to) {
      while (to < text.length && kinds[to] === kinds[from]) to += 1;
      const piece = text.slice(from, to);
      made.push(!kinds[from] ? piece : kinds[from] === "mark" ? make("mark", {}, piece) : make("ins", { class: kinds[from] }, piece));
    }
    return made;
  }

  function bars(similarity, probability, flat) {
    const reasons = [];
    for (let i = 0; i < flat.length; i += 2) reasons.push([data.words[flat[i]], flat[i + 1] / 10]);
    const most = Math.max(...reasons.map(([, added]) => Math.abs(added)), 0.1);
    const box = make("div", { class: "figures" }, make("p", {}, `The two alone: ${similarity.toFixed(2)}. Given all mentions: ${probability.toFixed(2)}.`));
    for (const [words, added] of reasons) {
      const bar = make("i", { class: added < 0 ? "against" : "for" });
      bar.style.width = `${(50 * Math.abs(added)) / most}%`;
      const number = `${added < 0 ? "−" : "+"}${Math.abs(added).toFixed(1)}`;
      box.append(make("span", {}, words), make("div", { "aria-hidden": "true" }, bar), make("span", {}, number));
    }
    return make("details", {}, make("summary", {}, "Figures"), box);
  }

  /* Documents: the events in one, and what else tells of the one under the pointer. */

  const label = (event) => $("h3", event).textContent;
  const size = (event) => $$("li, p.more a", event).length;

  function tally(words) {
    const counts = new Map();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return counts;
  }

  function legend(text) {
    if ($(".here", text)) return;
    const marks = $$(".text a[id][href]", text);
    const told = [...tally(marks.map((mark) => mark.hash))].map(([hash, count]) => ({ hash, count, event: byId(hash.slice(1)) }));
    const often = told.filter(({ event }) => event && size(event) > 1);
    often.sort((a, b) => b.count - a.count || size(b.event) - size(a.event));
    const chips = often.slice(0, 12).map(({ hash, event }) => make("a", { href: hash, class: event.className }, label(event)));
    if (chips.length) $("header", text).append(make("p", { class: "here" }, ...chips));
  }

  const card = document.body.appendChild(make("div", { id: "card", role: "tooltip", hidden: "" }));

  function hide() {
    if (card.hidden) return;
    card.hidden = true;
    for (const mark of $$(".kin")) mark.classList.remove("kin");
  }

  function tell(mark) {
    const event = target(mark);
    if (!event) return;
    const here = mark.closest("article");
    const kin = $$(`.text a[id][href="${mark.hash}"]`).sort((a, b) => here.contains(b) - here.contains(a));
    for (const other of kin) if (here.contains(other)) other.classList.add("kin");
    const others = kin.filter((other) => other !== mark);
    const told = tally(others.map((other) => `${other.textContent}\n${here.contains(other) ? "here" : $("h3", other.closest("article")).textContent}`));
    const items = [...told].slice(0, 6).map(([words, count]) => {
      const [text, where] = words.split("\n");
      return make("li", {}, make("span", {}, count > 1 ? `${text} ×${count}` : text), make("span", {}, where));
    });
    const known = make("small", {}, others.length ? `${kin.length.toLocaleString("en")} mentions` : "the only mention");
    card.replaceChildren(make("b", {}, label(event)), known, make("ol", {}, ...items), make("small", {}, told.size > 6 ? "and others" : ""));
    card.hidden = false;
    const box = mark.getBoundingClientRect();
    const below = box.bottom + 8 + card.offsetHeight < innerHeight;
    card.style.left = `${Math.max(16, Math.min(box.left, innerWidth - card.offsetWidth - 16))}px`;
    card.style.top = `${below ? box.bottom + 8 : Math.max(8, box.top - card.offsetHeight - 8)}px`;
    mark.setAttribute("aria-describedby", "card");
  }

  for (const kind of ["pointerover", "focusin"]) {
    document.addEventListener(kind, (event) => {
      hide();
      const mark = event.pointerType === "touch" ? null : event.target.closest?.(".text a[href]");
      if (mark) tell(mark);
      const further = event.target.closest?.(".further article");
      if (further && !$(".text", further)) {
        complete(further);
        document.dispatchEvent(new CustomEvent("samevent:opened", { detail: further }));
      }
    });
  }
  addEventListener("scroll", hide, { passive: true });

  /* Where we are is in the address, so that going back works and a link can be sent to others. */

  const views = $$(".view[id]");
  const lists = new Map(views.filter((view) => $(".panes", view)).map((view) => [view, new List(view)]));
  const narrow = matchMedia("(max-width: 52rem)");

  function go() {
    hide();
    const place = byId(location.hash.slice(1));
    const view = place?.closest(".view") ?? views[0];
    if (!view?.id) return;
    for (const other of views) other.classList.toggle("on", other === view);
    for (const link of $$("body > nav a")) link.hash === `#${view.id}` ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
    document.body.classList.toggle("texts", view.id === "documents");
    if (view !== views[0] || place?.closest("article")) document.body.classList.add("begun");
    const asked = place?.closest("article");
    const list = lists.get(view);
    if (list) {
      const first = () => (narrow.matches ? null : list.shown.map((row) => target(row.link)).find((found) => found?.matches("article")));
      const article = asked ?? (place && $("article.on", view)) ?? first();
      list.panes.classList.toggle("open", Boolean(asked));
      if (article && view.id === "events") complete(article);
      else if (article && view.id === "documents") legend(article);
      list.open(article);
    }
    const top = view.getBoundingClientRect().top;
    if (asked && place !== asked) place.scrollIntoView({ block: "center" });
    else if (top < 0 || (asked && narrow.matches)) view.scrollIntoView();
    if (asked && narrow.matches) asked.focus({ preventScroll: true });
    document.dispatchEvent(new CustomEvent("samevent:opened", { detail: $("article.on", view) }));
  }

  addEventListener("hashchange", go);
  for (const view of views) $(".back", view)?.addEventListener("click", () => (location.hash = `#${view.id}`));

  /* Keys */

  const help = byId("help");
  byId("keys")?.addEventListener("click", () => help.showModal());
  if (help) $("button", help).addEventListener("click", () => help.close());

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !help || help.open) return;
    const view = $(".view.on");
    const list = lists.get(view);
    const inSearch = event.target.matches("input[type=search]");
    const inList = event.target.closest(".list");
    const digit = views[Number(event.key) - 1];
    if (event.key === "Escape") {
      hide();
      if (inSearch) (list.search.value = ""), list.update(), list.search.blur();
      else if (list && !inList) narrow.matches ? (location.hash = `#${view.id}`) : list.move(0);
      return;
    }
    if (event.key === "ArrowDown" && (inSearch || inList)) list.move(inSearch ? 0 : 1);
    else if (event.key === "ArrowUp" && inList) list.move(-1);
    else if (event.key === "Enter" && inSearch) list.shown[0]?.link.click();
    else if (inSearch || event.target.matches("select")) return;
    else if (event.key === "/" && list) list.search.select();
    else if (event.key === "j") list?.move(1);
    else if (event.key === "k") list?.move(-1);
    else if (event.key === "?") help.showModal();
    else if (digit) location.hash = `#${digit.id}`;
    else return;
    event.preventDefault();
  });

  go();
})();
