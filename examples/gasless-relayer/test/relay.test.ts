import { decodeFunctionData, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { runAction, testWallet } from '@svc-run/cli/test'
import policy from '../policy.json'
import { APP, FORWARDER, forwarderAbi, forwardRequest } from '../src/forwarder'

const NOW = Date.UTC(2026, 0, 1) / 1000
const relayer = testWallet('relayer', { policy })
const user = privateKeyToAccount(testWallet('user').privateKey as Hex)
const attacker = privateKeyToAccount(testWallet('attacker').privateKey as Hex)
const app = parseAbi(['function vote(uint256 proposal, bool support)', 'function pause()'])
const vote = encodeFunctionData({ abi: app, functionName: 'vote', args: [1n, true] })

async function relay({
  by = user,
  data = vote,
  gas = 100_000,
  deadline = NOW + 600,
  signedNonce = 3n,
  others = {},
} = {}) {
  const call = { from: user.address, gas: BigInt(gas), deadline, data }
  const signature = await by.signTypedData(forwardRequest(call, signedNonce))
  return runAction('src/relay.ts', {
    params: {
      wallet: relayer.address,
      from: user.address,
      gas,
      deadline,
      data,
      signature,
      ...others,
    },
    wallets: { relayer },
    fetch: {
      'POST https://mainnet.base.org*': {
        json: { jsonrpc: '2.0', id: 1, result: `0x${'3'.padStart(64, '0')}` },
      },
    },
    now: NOW * 1000,
  })
}

it('sends a call that the user has signed', async () => {
  const run = await relay()
  expect(run).toRespondWith({ id: expect.any(String), state: 'queued', nonce: '3' })
  expect(run).toHaveSent({ wallet: 'relayer', chain: 'base', to: FORWARDER, value: 0n })
  const { args } = decodeFunctionData({ abi: forwarderAbi, data: run.transactions[0]!.data as Hex })
  expect(args).toEqual([
    expect.objectContaining({ from: user.address, to: APP, value: 0n, data: vote }),
  ])
})

describe('spends no gas', () => {
  it.each([
    ['on a call that somebody else signed', { by: attacker }, 'not signed by'],
    ['on a replayed call, whose nonce is used', { signedNonce: 2n }, 'not signed by'],
    ['on a changed call', { others: { data: `${vote}00` } }, 'not signed by'],
    [
      'on another function',
      { data: encodeFunctionData({ abi: app, functionName: 'pause' }) },
      'not free of gas',
    ],
    ['above the limit', { gas: 200_001 }, 'Too big'],
    ['on an expired call', { deadline: NOW - 1 }, 'deadline within an hour'],
    ['on a call that is valid for long', { deadline: NOW + 3601 }, 'deadline within an hour'],
    ['on another contract', { others: { to: relayer.address } }, 'Unrecognized key'],
  ])('%s', async (_what, given, message) => {
    const run = await relay(given)
    expect(run).toFailWith('action_threw', message)
    expect(run.transactions).toEqual([])
  })
})

describe('the policy, even with a bug in the action', () => {
  const code = `const main = ({ pkpId, to, data, value, gas }) =>
    Svc.Actions.sendTransaction({ pkpId, chain: 'base', to, data, value, gas })`
  const forward = ({ to = APP, value = 0n } = {}) =>
    encodeFunctionData({
      abi: forwarderAbi,
      functionName: 'execute',
      args: [
        { from: user.address, to, value, gas: 1n, deadline: NOW, data: vote, signature: '0x' },
      ],
    })
  const send = async (given: object) => {
    const params = {
      pkpId: relayer.address,
      to: FORWARDER,
      data: forward(),
      value: 0,
      gas: 250_000,
    }
    const run = await runAction({ code }, { params: { ...params, ...given }, wallets: { relayer } })
    return run.transactions[0]
  }

  it('allows the call', async () => {
    expect(await send({})).not.toMatchObject({ state: 'failed' })
  })

  it.each([
    ['a withdrawal', { to: attacker.address, data: '0x', value: 1 }],
    ['value in the call', { value: 1 }],
    ['value of the app', { data: forward({ value: 1n }) }],
    ['another contract behind the forwarder', { data: forward({ to: attacker.address }) }],
    ['a transaction that burns gas', { gas: 300_001 }],
  ])('denies %s', async (_what, given) => {
    expect(await send(given)).toMatchObject({ failure: { code: 'policy_denied' } })
  })
})
