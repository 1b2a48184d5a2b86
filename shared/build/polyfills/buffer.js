/* The path keeps Node from resolving it to its own module. */
import buffer from 'buffer/index.js'

export const { Buffer, INSPECT_MAX_BYTES, SlowBuffer, kMaxLength } = buffer
export const { atob, btoa } = globalThis
export default { ...buffer, atob, btoa }
