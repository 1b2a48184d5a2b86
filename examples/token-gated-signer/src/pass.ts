import { defineAction } from '@svc-run/cli/action'

type Params = { wallet: string; account: string; issuedAt: string; signature: string }

/** The token whose holders get a pass. These rules are part of the code, so that a caller cannot change them. */
const TOKEN = '0x000000000000000000000000000000000000dEaD'
const NODE = 'https://mainnet.base.org'
const REQUEST_VALID_MS = 5 * 60_000
const PASS_VALID_MS = 24 * 60 * 60_000

const erc721 = new ethers.utils.Interface([
  'function balanceOf(address owner) view returns (uint256)',
])

/** Signs a pass for a holder of the token, who has signed a request for it. */
export default defineAction(async ({ wallet, account, issuedAt, signature }: Params) => {
  const age = Date.now() - Date.parse(issuedAt)
  if (!(age > -60_000 && age < REQUEST_VALID_MS))
    throw new Error('the request has expired: sign it again')
  const signer = ethers.utils.verifyMessage(`request a pass at ${issuedAt}`, signature)
  if (signer !== ethers.utils.getAddress(account))
    throw new Error('the request is signed by another account')
  if ((await balanceOf(account)).isZero()) throw new Error(`${account} does not hold the token`)
  const until = new Date(Date.now() + PASS_VALID_MS).toISOString()
  const pass = `pass for ${signer} until ${until}`
  return { pass, signature: await Svc.Actions.signMessage({ pkpId: wallet, message: pass }) }
})

async function balanceOf(account: string) {
  const call = { to: TOKEN, data: erc721.encodeFunctionData('balanceOf', [account]) }
  const response = await fetch(NODE, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [call, 'latest'] }),
  })
  const { result, error } = (await response.json()) as {
    result?: string
    error?: { message: string }
  }
  if (result === undefined) throw new Error(`the node refused: ${error?.message}`)
  return ethers.utils.defaultAbiCoder.decode(['uint256'], result)[0]
}
