import type { Plugin } from 'esbuild'

/**
 * Modules that the client library imports on demand. They are excluded from bundles, because esbuild would otherwise
 * include them in each page script.
 */
const SERVED_MODULES = [
  { of: /^ethers$/, script: '/scripts/ethers.js' },
  { of: /\/verifier\.ts$/, script: '/scripts/verifier.js' },
]

export const externalizeServedModules: Plugin = {
  name: 'Loaded later',
  setup(esbuild) {
    for (const { of, script } of SERVED_MODULES)
      esbuild.onResolve({ filter: of }, ({ kind }) =>
        kind === 'dynamic-import' ? { path: script, external: true } : undefined,
      )
  },
}
