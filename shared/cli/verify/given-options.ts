/** Options of `svc verify` before validation. */
export type GivenOptions = {
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

/** A fresh quote takes the machine about a second, and a distant host takes longer. */
export const TIMEOUT_S = '60'
