/*
 * Node's EventEmitter, without domains and async iterators. It is a function, because packages call it on their own
 * objects.
 */
const registries = new WeakMap()

function registryOf(emitter) {
  let registry = registries.get(emitter)
  if (registry === undefined) registries.set(emitter, (registry = new Map()))
  return registry
}

function add(emitter, event, listener, { isOnce = false, isFirst = false }) {
  if (typeof listener !== 'function')
    throw new TypeError('The "listener" argument must be of type function')
  const added = { listener, isOnce }
  const registered = registryOf(emitter).get(event) ?? []
  registryOf(emitter).set(event, isFirst ? [added, ...registered] : [...registered, added])
  return emitter
}

export function EventEmitter() {}

EventEmitter.EventEmitter = EventEmitter
EventEmitter.once = once
EventEmitter.defaultMaxListeners = 10

Object.assign(EventEmitter.prototype, {
  on(event, listener) {
    return add(this, event, listener, {})
  },
  addListener(event, listener) {
    return this.on(event, listener)
  },
  once(event, listener) {
    return add(this, event, listener, { isOnce: true })
  },
  prependListener(event, listener) {
    return add(this, event, listener, { isFirst: true })
  },
  prependOnceListener(event, listener) {
    return add(this, event, listener, { isOnce: true, isFirst: true })
  },
  off(event, listener) {
    const registered = registryOf(this).get(event) ?? []
    const at = registered.findLastIndex((one) => one.listener === listener)
    if (at < 0) return this
    if (registered.length === 1) registryOf(this).delete(event)
    else registryOf(this).set(event, registered.toSpliced(at, 1))
    return this
  },
  removeListener(event, listener) {
    return this.off(event, listener)
  },
  removeAllListeners(event) {
    if (event === undefined) registries.delete(this)
    else registryOf(this).delete(event)
    return this
  },
  emit(event, ...args) {
    const registered = registryOf(this).get(event)
    if (registered === undefined) {
      if (event !== 'error') return false
      throw args[0] instanceof Error ? args[0] : new Error(`Unhandled error. (${String(args[0])})`)
    }
    for (const { listener, isOnce } of registered) {
      if (isOnce) this.off(event, listener)
      listener.apply(this, args)
    }
    return true
  },
  listeners(event) {
    return (registryOf(this).get(event) ?? []).map(({ listener }) => listener)
  },
  listenerCount(event) {
    return this.listeners(event).length
  },
  eventNames() {
    return [...registryOf(this).keys()]
  },
  setMaxListeners() {
    return this
  },
  getMaxListeners() {
    return EventEmitter.defaultMaxListeners
  },
})

export function once(emitter, event) {
  return new Promise((resolve, reject) => {
    const succeed = (...args) => {
      emitter.off('error', fail)
      resolve(args)
    }
    const fail = (error) => {
      emitter.off(event, succeed)
      reject(error)
    }
    emitter.once(event, succeed)
    if (event !== 'error') emitter.once('error', fail)
  })
}

export default EventEmitter
