import * as esbuild from 'esbuild'
import type { Metafile, Plugin } from 'esbuild'
import { POLYFILLED_MODULES } from '../build/polyfills.ts'
import { bundlePolyfill } from '../build/polyfill-sources.ts'

/**
 * Build plugin that puts the sources of polyfills into the bundle, because a package does not contain the files from
 * which a checkout builds them.
 * @returns also the metafiles of the polyfills, for the licenses of their packages
 */
export async function embedPolyfills(): Promise<{ plugin: Plugin; metafiles: Metafile[] }> {
  const polyfills = await Promise.all(
    POLYFILLED_MODULES.map(async (name) => ({ name, ...(await bundlePolyfill(name, esbuild)) })),
  )
  const sources = Object.fromEntries(polyfills.map(({ name, source }) => [name, source]))
  const contents = `const SOURCES = ${JSON.stringify(sources)}
export const polyfillSource = (name) => SOURCES[name]`
  return {
    metafiles: polyfills.map(({ metafile }) => metafile),
    plugin: {
      name: 'embedded polyfills',
      setup(builder) {
        builder.onLoad({ filter: /shared\/build\/polyfill-sources\.ts$/ }, () => ({ contents }))
      },
    },
  }
}
