/* AbortController and AbortSignal (DOM standard). */
export default function abort(_host, base, { events, exceptions, timers, webidl }) {
  const { Map, TypeError, apply, mapDelete, mapForEach, mapSet } = base
  const { Event, EventTarget, hooks } = events
  const { DOMException } = exceptions
  const KEY = {}
  let raise, watch, isSignal

  const aborted = () => new DOMException('This operation was aborted', 'AbortError')

  class AbortSignal extends EventTarget {
    #aborted = false
    #reason
    #handler = null
    /* Internal callbacks that are called before the event listeners. Each is stored under a unique key object. */
    #watchers = new Map()

    constructor(key = null) {
      if (key !== KEY) throw new TypeError('Illegal constructor')
      super()
    }

    get aborted() {
      return this.#aborted
    }
    get reason() {
      return this.#reason
    }
    get onabort() {
      return this.#handler
    }
    set onabort(handler) {
      const isFirst = this.#handler === null
      this.#handler = webidl.isObject(handler) ? handler : null
      if (isFirst && this.#handler !== null) listen(this, (event) => this.#call(event))
    }
    throwIfAborted() {
      if (this.#aborted) throw this.#reason
    }

    #call(event) {
      if (typeof this.#handler === 'function') apply(this.#handler, this, [event])
    }

    static abort(reason = aborted()) {
      const signal = new AbortSignal(KEY)
      raise(signal, reason)
      return signal
    }

    static timeout(milliseconds) {
      webidl.required(arguments.length, 1, 'AbortSignal.timeout')
      const ms = base.Number(milliseconds)
      if (!(ms >= 0 && ms <= 2 ** 53 - 1)) {
        throw new TypeError('AbortSignal.timeout: expected milliseconds')
      }
      const signal = new AbortSignal(KEY)
      const message = 'The operation was aborted due to timeout'
      timers.after(ms, () => raise(signal, new DOMException(message, 'TimeoutError')))
      return signal
    }

    static any(signals) {
      webidl.required(arguments.length, 1, 'AbortSignal.any')
      const sources = webidl.sequence(signals)
      const joined = new AbortSignal(KEY)
      for (let at = 0; at < sources.length; at++) {
        if (!isSignal(sources[at])) throw new TypeError('AbortSignal.any: expected AbortSignals')
      }
      for (let at = 0; at < sources.length && !joined.#aborted; at++) {
        if (sources[at].#aborted) raise(joined, sources[at].#reason)
      }
      for (let at = 0; at < sources.length && !joined.#aborted; at++) {
        const source = sources[at]
        watch(source, () => raise(joined, source.#reason))
      }
      return joined
    }

    static {
      isSignal = (value) => webidl.isObject(value) && #watchers in value
      raise = (signal, reason) => {
        if (signal.#aborted) return
        signal.#aborted = true
        signal.#reason = reason
        const watchers = signal.#watchers
        signal.#watchers = new Map()
        mapForEach(watchers, (run) => run())
        dispatch(signal, new Event('abort'))
      }
      watch = (signal, run) => {
        if (signal.#aborted) return () => {}
        const key = {}
        mapSet(signal.#watchers, key, run)
        return () => {
          mapDelete(signal.#watchers, key)
        }
      }
    }
  }

  /* These methods are captured at load time, because an action may replace them later. */
  const dispatch = base.uncurry(EventTarget.prototype.dispatchEvent)
  const addListener = base.uncurry(EventTarget.prototype.addEventListener)
  const listen = (signal, callback) => addListener(signal, 'abort', callback)

  hooks.onAbort = (signal, run) => {
    if (!isSignal(signal)) throw new TypeError('addEventListener: the signal is no AbortSignal')
    watch(signal, run)
  }

  class AbortController {
    #signal = new AbortSignal(KEY)

    get signal() {
      return this.#signal
    }
    abort(reason = aborted()) {
      raise(this.#signal, reason)
    }
  }

  webidl.expose(AbortSignal)
  webidl.expose(AbortController)
  return {
    isSignal,
    /* Returns a function that removes the registration. */
    watch,
    never: () => new AbortSignal(KEY),
  }
}
