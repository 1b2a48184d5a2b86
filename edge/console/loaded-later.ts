import type { Plugin } from 'esbuild'

/** Modules that the client library imports on demand. Otherwise, esbuild would bundle them into each page script. */
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
