import type { Plugin } from 'esbuild'

/** zod has its messages in fifty languages, 250 kB of them. */
export const englishAlone: Plugin = {
  name: 'English alone',
  setup(esbuild) {
    esbuild.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js"',
    }))
  },
}
