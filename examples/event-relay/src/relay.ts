import { type ChainEventParams, defineAction } from '@svc-run/cli/action'

type Params = ChainEventParams<[account: string, amount: string], { wallet: string }>

const RECEIVER = 'https://example.com/deposits'

/** Posts each event to a server, which checks the signature of the wallet. */
export default defineAction(async ({ event, wallet }: Params) => {
  if (event.decode === 'raw') throw new Error(`cannot decode the log: ${event.decode_error}`)
  const { chain, contract_address, transaction_hash, log_index } = event
  const body = JSON.stringify({
    // A retried run sends the same ID, so that the receiver can ignore it.
    id: `${chain}/${transaction_hash}/${log_index}`,
    contract: contract_address,
    account: event.decoded.arg0,
    amount: event.decoded.arg1,
  })
  const digest = ethers.utils.sha256(ethers.utils.toUtf8Bytes(body))
  const signature = await Svc.Actions.signMessage({
    pkpId: wallet,
    message: `relayed event ${digest}`,
  })
  const response = await fetch(RECEIVER, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-signature': signature },
    body,
  })
  if (!response.ok) throw new Error(`the receiver responded with ${response.status}`)
  return { digest, status: response.status }
})
