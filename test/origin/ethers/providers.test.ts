import { expect, test } from 'vitest'
import { sharedPool } from '../actions/sandbox.ts'

const pool = sharedPool({ min: 1, max: 1 })

/** A chain node in place of `fetch`, which records the requests. */
const NODE = `
const asked = []
const answers = { eth_chainId: '0x5', net_version: '5', eth_blockNumber: '0x10', eth_getBalance: '0xde0b6b3a7640000' }
globalThis.fetch = async (url, { method, headers, body }) => {
  const { id, method: name, params } = JSON.parse(typeof body === 'string' ? body : ethers.utils.toUtf8String(body))
  asked.push({ url, method, name, params, type: headers['content-type'] || headers['Content-Type'] })
  const bytes = ethers.utils.toUtf8Bytes(JSON.stringify({ jsonrpc: '2.0', id, result: answers[name] }))
  return {
    status: 200,
    statusText: 'OK',
    headers: { forEach: (each) => each('application/json', 'Content-Type') },
    arrayBuffer: async () => bytes.buffer,
  }
}`

test('a provider uses the fetch that is current at the time of the call', async () => {
  const value = await pool.value(`${NODE}
    async function main() {
      const provider = new ethers.providers.JsonRpcProvider('https://node.example/v1', 5)
      const balance = await provider.getBalance('0x' + '11'.repeat(20))
      return { balance: balance.toString(), asked: asked.filter(({ name }) => name === 'eth_getBalance') }
    }`)
  expect(value).toEqual({
    balance: '1000000000000000000',
    asked: [
      {
        url: 'https://node.example/v1',
        method: 'POST',
        name: 'eth_getBalance',
        params: [`0x${'11'.repeat(20)}`, 'latest'],
        type: 'application/json',
      },
    ],
  })
})

test('a provider detects its network, and a wallet and a contract use it', async () => {
  const value = await pool.value(`${NODE}
    answers.eth_call = '0x' + '2a'.padStart(64, '0')
    async function main() {
      const provider = new ethers.providers.JsonRpcProvider('https://node.example/v1')
      const wallet = new ethers.Wallet('0x' + '11'.repeat(32), provider)
      const abi = ['function balanceOf(address) view returns (uint256)']
      const token = new ethers.Contract('0x' + '22'.repeat(20), abi, wallet)
      return [(await provider.getNetwork()).chainId, (await token.balanceOf(wallet.address)).toNumber()]
    }`)
  expect(value).toEqual([5, 42])
})

test('a failing node causes an ethers error with its code', async () => {
  const value = await pool.value(`
    globalThis.fetch = async () => { throw new Error('refused') }
    async function main() {
      const provider = new ethers.providers.StaticJsonRpcProvider({ url: 'https://node.example', throttleLimit: 1 }, 1)
      try { await provider.send('eth_blockNumber', []) } catch ({ code, reason }) { return { code, reason } }
    }`)
  expect(value).toEqual({ code: 'SERVER_ERROR', reason: 'missing response' })
})

test('a web socket is rejected with ethers’ own error', async () => {
  const value = await pool.value(`
    function main() {
      try { new ethers.providers.WebSocketProvider('wss://node.example') } catch ({ code, operation }) { return { code, operation } }
    }`)
  expect(value).toEqual({ code: 'UNSUPPORTED_OPERATION', operation: 'new WebSocket()' })
})
