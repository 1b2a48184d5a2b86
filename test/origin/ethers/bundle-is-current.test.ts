import { expect, test } from 'vitest'
import { buildBundle } from '../../../origin/actions/ethers/build.ts'
import { applyEdits } from '../../../origin/actions/ethers/edits.ts'
import { ethersBundle } from '../../../origin/actions/engine/guest-sources.ts'

test('the bundle matches the installed package: otherwise run npm run ethers-bundle', async () => {
  expect((await buildBundle()) === ethersBundle()).toBe(true)
})

test('an unexpected published text stops the build', () => {
  const path = '@ethersproject/rlp/lib.esm/index.js'
  const text = 'return hexlify(_encode(object));'
  expect(applyEdits(path, `{ ${text} }`)).toContain('new Uint8Array')
  expect(() => applyEdits(path, 'something else')).toThrow('does not contain the text to replace')
  expect(() => applyEdits(path, `${text} ${text}`)).toThrow('does not contain the text to replace')
})
