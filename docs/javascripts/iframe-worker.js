// Search from disk: browsers allow pages that are files no workers, so that the search runs in a hidden frame instead.
if (location.protocol === "file:") {
  class FrameWorker extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.inner = frame.contentWindow
      this.inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      this.loaded = new Promise((resolve, reject) => {
        const script = frame.contentDocument.createElement("script")
        script.onload = resolve
        script.onerror = reject
        script.src = url
        frame.contentDocument.body.append(script)
      })
      this.terminate = () => frame.remove()
    }

    async postMessage(data) {
      await this.loaded
      this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data }))
    }
  }
  window.Worker = window.IFrameWorker = FrameWorker
}
