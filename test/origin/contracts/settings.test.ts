import { ZeroAddress } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOf, startAccountConfig } from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

let config: AccountConfig
beforeAll(async () => {
  config = await startAccountConfig()
})
afterAll(() => config.close())

const setApiPayers = (payers: string[], allowed: boolean) =>
  config.write(config.owner, 'setApiPayers', payers, allowed)

test('the owner adds and removes several payers at once, and each is listed once', async () => {
  const payers = [config.wallet(7).address, config.wallet(8).address]
  await setApiPayers([...payers, ...payers], true)
  expect([...(await config.read('apiPayers'))]).toEqual([config.payer.address, ...payers])
  await setApiPayers(payers, false)
  expect([...(await config.read('apiPayers'))]).toEqual([config.payer.address])
  expect(await config.read('isApiPayer', config.payer.address)).toBe(true)
  expect(await config.read('isApiPayer', payers[0])).toBe(false)
})

test('repeating a setting is idempotent', async () => {
  await setApiPayers([config.payer.address], true)
  await setApiPayers([config.stranger.address], false)
  expect([...(await config.read('apiPayers'))]).toEqual([config.payer.address])
})

test('the zero address cannot be a payer', async () => {
  expect(await config.refusal(config.owner, 'setApiPayers', [ZeroAddress], true)).toEqual([
    'InvalidRequest',
    'payer is the zero address',
  ])
})

test('more than 50 payers in one call are rejected', async () => {
  const payers = Array.from({ length: 51 }, (_, index) => addressOf(`payer ${index}`))
  expect(await config.refusal(config.owner, 'setApiPayers', payers, true)).toEqual([
    'TooManyIds',
    'payers',
    51n,
    50n,
  ])
})

test('a node setting can be set, replaced and unset, and is empty by default', async () => {
  expect(await config.read('nodeConfiguration', 'token')).toBe('')
  for (const value of ['ETH', 'xDAI', '']) {
    await config.write(config.owner, 'setNodeConfiguration', 'token', value)
    expect(await config.read('nodeConfiguration', 'token')).toBe(value)
  }
})
