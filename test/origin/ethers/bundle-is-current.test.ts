import { expect, test } from 'vitest'
import { bundleText } from '../../../origin/actions/ethers/build.ts'
import { edited } from '../../../origin/actions/ethers/edits.ts'
import { ethersBundle } from '../../../origin/actions/ethers/ethers-bundle.ts'

test('the bundle is what comes of the installed package: else run npm run ethers-bundle', async () => {
  expect((await bundleText()) === ethersBundle()).toBe(true)
})

test('a published text that is not the expected one stops the build', () => {
  const path = '@ethersproject/rlp/lib.esm/index.js'
  const text = 'return hexlify(_encode(object));'
  expect(edited(path, `{ ${text} }`)).toContain('new Uint8Array')
  expect(() => edited(path, 'something else')).toThrow('not the one that this was written for')
  expect(() => edited(path, `${text} ${text}`)).toThrow('not the one that this was written for')
})
