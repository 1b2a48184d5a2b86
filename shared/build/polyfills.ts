/** Modules of Node that actions can import. */
export const POLYFILLED_MODULES: readonly string[] = [
  'assert',
  'buffer',
  'crypto',
  'events',
  'process',
  'timers',
  'url',
  'util',
]

/** Globals that are provided if the code uses them without checking that they exist. */
const GLOBALS: Readonly<Record<string, string>> = {
  Buffer: `export { Buffer } from 'svc:buffer'`,
  process: `export { default as process } from 'svc:process'`,
  setImmediate: `export { setImmediate } from 'svc:timers'`,
  clearImmediate: `export { clearImmediate } from 'svc:timers'`,
  self: 'const self = globalThis\nexport { self }',
}

const GLOBAL = 'global-'

/** Returns the source of a module that provides a global, such as `global-Buffer`. Undefined for other modules. */
export function globalSource(name: string): string | undefined {
  return name.startsWith(GLOBAL) ? GLOBALS[name.slice(GLOBAL.length)] : undefined
}

export const POLYFILLED_GLOBALS: readonly string[] = Object.keys(GLOBALS)

/** Globals that packages use in browsers or Node, and that actions do not have. */
export const MISSING_GLOBALS: readonly string[] = [
  'Blob',
  'BroadcastChannel',
  'CompressionStream',
  'DecompressionStream',
  'EventSource',
  'File',
  'FileReader',
  'FormData',
  'Intl',
  'MessageChannel',
  'ReadableStream',
  'TransformStream',
  'WebAssembly',
  'WebSocket',
  'Worker',
  'WritableStream',
  'XMLHttpRequest',
  '__dirname',
  '__filename',
  'document',
  'indexedDB',
  'localStorage',
  'location',
  'navigator',
  'sessionStorage',
  'window',
]
