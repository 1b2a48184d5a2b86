/**
 * Source of the action that the first steps create (docs/by-hand.md). The action verifies the webhook's sender before
 * it signs.
 */
export const FIRST_ACTION = `async function main(params) {
  const { utils } = ethers
  if (params.source === 'webhook') {
    const bytes = utils.toUtf8Bytes(params.event_raw)
    const mac = utils.computeHmac('sha256', utils.toUtf8Bytes(params.secret), bytes)
    if (params.headers['x-hub-signature-256'] !== 'sha256=' + mac.slice(2)) throw new Error('wrong signature')
  }
  const message = params.source === 'webhook' ? params.event.message : params.message
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId: params.wallet }))
  console.log('signing', message)
  return { message, signature: await wallet.signMessage(message) }
}
`
