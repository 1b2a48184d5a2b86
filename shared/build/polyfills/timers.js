const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis

export const setImmediate = (callback, ...args) => setTimeout(callback, 0, ...args)
export const clearImmediate = (id) => clearTimeout(id)

export { setTimeout, clearTimeout, setInterval, clearInterval }
export default {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  clearImmediate,
}
