import type { Plugin } from 'esbuild'

/**
 * Modules that the client library imports on demand, and the scripts that contain them. Each page script is a single
 * file, so esbuild would otherwise include these modules in it.
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
