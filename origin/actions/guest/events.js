/* Event and EventTarget (DOM standard), without an event tree and only as far as AbortSignal needs them. */
export default function events(_host, base, { exceptions, timers, webidl }) {
  const { Map, TypeError, apply, mapGet, mapSet, now } = base
  const { DOMException } = exceptions
  let begin, finish, stopped
  /* Hook that abort.js sets, because AbortSignal is itself an EventTarget and is therefore defined later. */
  const hooks = { onAbort: undefined }

  class Event {
    #type
    #cancelable
    #bubbles
    #composed
    #target = null
    #phase = 0
    #stopped = false
    #prevented = false
    #time = now()

    constructor(type, options = {}) {
      webidl.required(arguments.length, 1, 'Event')
      this.#type = webidl.string(type)
      const { bubbles, cancelable, composed } = webidl.dictionary(options, 'Event')
      this.#bubbles = !!bubbles
      this.#cancelable = !!cancelable
      this.#composed = !!composed
    }

    get type() {
      return this.#type
    }
    get target() {
      return this.#target
    }
    get currentTarget() {
      return this.#phase === 0 ? null : this.#target
    }
    get eventPhase() {
      return this.#phase
    }
    get bubbles() {
      return this.#bubbles
    }
    get cancelable() {
      return this.#cancelable
    }
    get composed() {
      return this.#composed
    }
    get defaultPrevented() {
      return this.#prevented
    }
    get timeStamp() {
      return this.#time
    }
    preventDefault() {
      if (this.#cancelable) this.#prevented = true
    }
    stopPropagation() {
      /* There is no event tree, so there is nothing to stop. Only checks that the receiver is an Event. */
      void this.#type
    }
    stopImmediatePropagation() {
      this.#stopped = true
    }

    static {
      begin = (event, target) => {
        if (event.#phase !== 0) {
          throw new DOMException('dispatchEvent: the event is under way', 'InvalidStateError')
        }
        event.#target = target
        event.#phase = 2
      }
      finish = (event) => {
        event.#phase = 0
        event.#stopped = false
        return !event.#prevented
      }
      stopped = (event) => event.#stopped
    }
  }

  const call = (target, callback, event) => {
    const run = () => {
      if (typeof callback === 'function') apply(callback, target, [event])
      else callback.handleEvent(event)
    }
    timers.guarded(run, [])
  }

  class EventTarget {
    /* Listeners by event type: lists of {callback, capture, once, gone}. */
    #listeners = new Map()

    addEventListener(type, callback, options = {}) {
      webidl.required(arguments.length, 2, 'addEventListener')
      const name = webidl.string(type)
      const settings = webidl.isObject(options) ? options : { capture: options }
      const { once, signal } = settings
      const capture = !!settings.capture
      if (signal !== undefined) hooks.onAbort(signal, () => this.#remove(name, callback, capture))
      if (callback === null || callback === undefined) return
      if (!webidl.isObject(callback)) throw new TypeError('addEventListener: expected a function')
      const list = mapGet(this.#listeners, name) ?? []
      for (let at = 0; at < list.length; at++) {
        if (list[at].callback === callback && list[at].capture === capture) return
      }
      const longer = []
      for (let at = 0; at < list.length; at++) longer[at] = list[at]
      longer[list.length] = { callback, capture, once: !!once, gone: false }
      mapSet(this.#listeners, name, longer)
    }

    removeEventListener(type, callback, options = {}) {
      webidl.required(arguments.length, 2, 'removeEventListener')
      const capture = !!(webidl.isObject(options) ? options.capture : options)
      this.#remove(webidl.string(type), callback, capture)
    }

    dispatchEvent(event) {
      webidl.required(arguments.length, 1, 'dispatchEvent')
      const listeners = this.#listeners
      begin(event, this)
      /*
       * Iterates over the listeners that exist now. A listener that is added during the dispatch receives only later
       * events.
       */
      const list = mapGet(listeners, event.type) ?? []
      for (let at = 0; at < list.length && !stopped(event); at++) {
        const listener = list[at]
        if (listener.gone) continue
        if (listener.once) this.#remove(event.type, listener.callback, listener.capture)
        call(this, listener.callback, event)
      }
      return finish(event)
    }

    /* Creates a new list, because a dispatch may be iterating over the old one. */
    #remove(type, callback, capture) {
      const kept = []
      const list = mapGet(this.#listeners, type) ?? []
      for (let at = 0; at < list.length; at++) {
        const isIt = list[at].callback === callback && list[at].capture === capture
        if (isIt) list[at].gone = true
        else kept[kept.length] = list[at]
      }
      mapSet(this.#listeners, type, kept)
    }
  }
  webidl.expose(Event)
  webidl.expose(EventTarget)
  return { Event, EventTarget, hooks }
}
