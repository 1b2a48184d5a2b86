/** Actions for the journeys, as an outsider would write them. Actions have ethers v5. */

export const ECHO = `async function main(params) {
  return params
}
`

export const SIGN = `async function main(params) {
  const key = await Svc.Actions.getPrivateKey({ pkpId: params.pkpId })
  return await new ethers.Wallet(key).signMessage(params.message)
}
`

export const THROW = `async function deepInside(text) {
  throw new Error(text)
}
async function main(params) {
  await deepInside('the sky fell on ' + (params.event ? params.event.where : params.where))
}
`

export const ETHERS_VERSION = `async function main() {
  return ethers.version
}
`

/** Signs with the action's own key, so that the signature proves the CID. */
export const SIGN_AS_ACTION = `async function main(params) {
  const key = await Svc.Actions.getSvcActionPrivateKey()
  const wallet = new ethers.Wallet(key.startsWith('0x') ? key : '0x' + key)
  return { address: wallet.address, signature: await wallet.signMessage(params.message) }
}
`

export const LOOK_UP_ACTION = `async function main(params) {
  const ipfsId = params.ipfsId
  return {
    publicKey: await Svc.Actions.getSvcActionPublicKey({ ipfsId }),
    address: await Svc.Actions.getSvcActionWalletAddress({ ipfsId }),
  }
}
`

export const MANY_LOOK_UPS = `async function main(params) {
  for (let i = 0; i < params.count; i++) {
    await Svc.Actions.getSvcActionWalletAddress({ ipfsId: params.ipfsId })
  }
  return params.count
}
`

export const MANY_REQUESTS = `async function main(params) {
  for (let i = 0; i < params.count; i++) {
    const answer = await fetch(params.url)
    await answer.text()
  }
  return params.count
}
`

/** Verifies the HMAC over the exact bytes, as GitHub signs them. */
export const VERIFY_GITHUB = `const SECRET = 'a secret of both sides'
async function main({ event, event_raw, headers }) {
  const sent = headers['x-hub-signature-256']
  const bytes = ethers.utils.toUtf8Bytes(event_raw)
  const mac = ethers.utils.computeHmac('sha256', ethers.utils.toUtf8Bytes(SECRET), bytes)
  if (sent !== 'sha256=' + mac.slice(2)) throw new Error('not from the sender')
  return { verified: true, action: event.action, headers: Object.keys(headers) }
}
`
export const GITHUB_SECRET = 'a secret of both sides'

export const TEMPLATE = `async function template(manifest, params) {
  return { limit: manifest.limit, names: manifest.names, given: params.given }
}`
