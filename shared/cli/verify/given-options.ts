/** What `svc verify` is told, before any of it is read. */

/** As commander gives them. */
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

/** A fresh quote takes a second of the machine, and a far host some more. */
export const TIMEOUT_S = '60'
