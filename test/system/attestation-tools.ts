import { once } from 'node:events'
import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { connect } from 'node:tls'
import type { Stack } from '../../origin/stack/stack.ts'
import type { Tools } from '../conformance/spec-client.ts'

/** Sources that the stack's evidence is checked against: its TLS certificate, CAA records and chain. */
export function attestationTools(
  stack: Stack,
): Required<Pick<Tools, 'servedCertificate' | 'caaRecords' | 'accountChain'>> {
  const { base_url, dns_server, chain_rpc, ca_file } = stack.addresses()
  const { hostname, port } = new URL(base_url)
  return {
    accountChain: { rpcUrl: chain_rpc, fundedKey: FUNDED_KEY },
    caaRecords: async () => {
      const names = new Resolver()
      names.setServers([dns_server])
      return (await names.resolveCaa(hostname)).map(({ issue }) => String(issue))
    },
    servedCertificate: async () => {
      const ca = readFileSync(ca_file)
      const socket = connect({ host: hostname, port: Number(port), servername: hostname, ca })
      await once(socket, 'secureConnect')
      const certificate = socket.getPeerX509Certificate()
      socket.destroy()
      return certificate!.raw
    },
  }
}

// The publicly known key of anvil's tenth account.
const FUNDED_KEY = '0x2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6'
