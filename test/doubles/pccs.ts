/** Provisioning certificate caching service (Intel PCCS, API version 4) with the given collateral. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Collateral } from '../../shared/attestation/evidence.ts'

export type PccsDouble = Awaited<ReturnType<typeof startPccs>>

export async function startPccs(first: Collateral) {
  const state = { collateral: first, isAway: false, requests: 0 }
  const server = createServer((request, response) => {
    state.requests++
    if (state.isAway) return void response.writeHead(503).end()
    const path = (request.url ?? '').replace(/\?.*$/, '')
    const found = answers(state.collateral)[path]
    if (!found) return void response.writeHead(404).end()
    const { body, header = {} } = found
    const headers = Object.entries(header).map(([name, value]) => [name, encodeURIComponent(value)])
    return void response.writeHead(200, Object.fromEntries(headers)).end(body)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    state,
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

type Answer = { body: string | Buffer; header?: Record<string, string> }

function answers(given: Collateral): Record<string, Answer> {
  const signed = (name: string, text: string, signature: string) =>
    `{"${name}":${text},"signature":"${signature}"}`
  return {
    '/sgx/certification/v4/pckcrl': {
      body: Buffer.from(given.pck_crl, 'hex'),
      header: { 'SGX-PCK-CRL-Issuer-Chain': given.pck_crl_issuer_chain },
    },
    '/sgx/certification/v4/rootcacrl': { body: given.root_ca_crl },
    '/tdx/certification/v4/tcb': {
      body: signed('tcbInfo', given.tcb_info, given.tcb_info_signature),
      header: { 'TCB-Info-Issuer-Chain': given.tcb_info_issuer_chain },
    },
    '/tdx/certification/v4/qe/identity': {
      body: signed('enclaveIdentity', given.qe_identity, given.qe_identity_signature),
      header: { 'SGX-Enclave-Identity-Issuer-Chain': given.qe_identity_issuer_chain },
    },
  }
}
