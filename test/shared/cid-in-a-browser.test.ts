import { build } from 'esbuild'
import { join } from 'node:path'
import vm from 'node:vm'
import { expect, it } from 'vitest'
import { actionCid } from '../../shared/cid/compute-cid.ts'

it('computes the same CID in a browser, without Node APIs', async () => {
  const bundle = await build({
    entryPoints: [join(import.meta.dirname, '../../shared/cid/compute-cid.ts')],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'cid',
  })
  const web = { crypto, TextEncoder, TextDecoder, Uint8Array, Event, EventTarget, AbortController }
  const page = vm.createContext(web)
  vm.runInContext(bundle.outputFiles[0]!.text, page)
  const browser = vm.runInContext('cid', page) as { actionCid: typeof actionCid }
  for (const length of [0, 1000, 262_144, 262_145]) {
    const source = 'é'.repeat(length / 2)
    expect(await browser.actionCid(source)).toBe(await actionCid(source))
  }
})
