import type { Plugin } from 'esbuild'

/**
 * Modules that the client library imports on demand, and the scripts that contain these modules. Without this mapping,
 * esbuild would include the modules in each page script, because a page script is a single file.
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
