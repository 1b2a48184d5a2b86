import { id } from 'ethers'
import { afterEach, expect, it } from 'vitest'
import { governanceAbi } from '../../../shared/abi/governance.ts'
import { ALLOWED_COMPOSE_HASHES } from '../../../shared/attestation/rules/governance.ts'
import { askGovernance, GovernanceUnknownError } from '../../../shared/cli/verify/governance.ts'
import { startWebServer, type WebServer } from '../../doubles/web-server.ts'

const APP = 'ab'.repeat(20)
const HASH = 'cd'.repeat(32)

let server: WebServer | undefined
afterEach(() => server?.close())

/** Answers `eth_chainId` correctly, and the contract call with this text. */
async function ask(text: string) {
  server = await startWebServer(({ body }, response) =>
    response.end(body.includes('eth_chainId') ? '{"result":"0x1"}' : text),
  )
  return askGovernance(`http://127.0.0.1:${server.port}`, APP, HASH, fetch)
}

const word = (digits: string) => JSON.stringify({ result: `0x${digits.padStart(64, '0')}` })

it('calls the function that the governance contract defines', () => {
  const [asked] = governanceAbi.filter(({ name }) => name === 'allowedComposeHashes')
  expect(asked).toMatchObject({ inputs: [{ type: 'bytes32' }], outputs: [{ type: 'bool' }] })
  expect(ALLOWED_COMPOSE_HASHES).toBe(id('allowedComposeHashes(bytes32)').slice(0, 10))
})

it('queries the contract at the app ID for the compose hash', async () => {
  expect(await ask(word('1'))).toEqual({ chain_id: 1, allowed: true })
  expect(JSON.parse(server!.received.at(-1)!.body)).toMatchObject({
    method: 'eth_call',
    params: [{ to: `0x${APP}`, data: `${ALLOWED_COMPOSE_HASHES}${HASH}` }, 'latest'],
  })
})

it('accepts a plain no', async () => {
  expect(await ask(word('0'))).toEqual({ chain_id: 1, allowed: false })
})

it.each([
  ['a word that is no truth value', word('2')],
  ['a word that is too long', word('1'.padStart(66, '0'))],
  ['no contract', '{"result":"0x"}'],
  ['an error', '{"error":{"code":-32000,"message":"execution reverted"}}'],
  ['nothing', '{}'],
  ['what is no JSON', '<html>'],
  ['more than an answer', `"${'x'.repeat(20_000)}"`],
])('throws GovernanceUnknown for %s', async (_, text) => {
  await expect(ask(text)).rejects.toThrow(GovernanceUnknownError)
})
