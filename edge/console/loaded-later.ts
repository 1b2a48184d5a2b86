import type { Plugin } from 'esbuild'

/**
 * What the client library imports when it first needs it, and the script that has it: a page's script is of one piece, and
 * would have it all from the start.
 */
const LATER = [
  { of: /^ethers$/, script: '/scripts/ethers.js' },
  { of: /\/verifier\.ts$/, script: '/scripts/verifier.js' },
]

export const loadedLater: Plugin = {
  name: 'Loaded later',
  setup(esbuild) {
    for (const { of, script } of LATER)
      esbuild.onResolve({ filter: of }, ({ kind }) =>
        kind === 'dynamic-import' ? { path: script, external: true } : undefined,
      )
  },
}
