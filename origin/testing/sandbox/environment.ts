/**
 * Makes the globals of all versions of Node equal, as far as the engine and its host functions use them. Must be imported
 * before them.
 */

// The engine stores the language in its memory, whose layout must be that of the template. Node 20 has no navigator.
Object.defineProperty(globalThis, 'navigator', {
  value: { language: 'en-US' },
  configurable: true,
})

// Since Node 22.1.
;(URL as { parse?: typeof URL.parse }).parse ??= (text, base) =>
  URL.canParse(text, base) ? new URL(text, base) : null
