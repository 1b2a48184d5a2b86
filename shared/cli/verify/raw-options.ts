export type RawVerifyOptions = {
  offline?: string
  save?: string
  collateral?: string
  ca?: string
  rpcUrl?: string
  dnsServer?: string
  measurements?: string
  appId?: string
  composeHash?: string[]
  tcbStatus?: string[]
  dstackVerifierInput?: string
  timeout?: string
  json?: boolean
}

/** Default timeout, in seconds. The machine needs about a second for a fresh quote, and a distant host takes longer. */
export const TIMEOUT_S = '60'
