/** Services that `svc verify` queries: a host, its name server, and a chain node. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNameServer } from '../../../origin/stack/name-server.ts'
import { makeAuthority } from '../../doubles/certificates.ts'
import { showMachine, startEvidenceHost } from '../../doubles/evidence-host.ts'
import { type GovernanceState, startGovernanceNode } from '../../doubles/governance-node.ts'
import { svc } from './command-line.ts'

const ACCOUNT_URI = 'https://ca.example/acme/acct/1'

export type World = Awaited<ReturnType<typeof startWorld>>

export async function startWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-verify-'))
  const authority = await makeAuthority()
  writeFileSync(join(folder, 'ca.pem'), authority.pem)
  const machine = await showMachine(authority, ACCOUNT_URI)
  const { app_id, compose_hash } = machine.info
  const chain: GovernanceState = { address: `0x${app_id}`, allowed: [compose_hash] }
  const [host, names, node] = await Promise.all([
    startEvidenceHost(machine),
    startNameServer('localhost', ACCOUNT_URI),
    startGovernanceNode(chain),
  ])
  const options = ['--ca', 'ca.pem', '--dns-server', names.address, '--rpc-url', node.url]
  return {
    folder,
    authority,
    machine,
    chain,
    host,
    node,
    options,
    /** Runs the command with all required options and additional words. */
    verify: (url: string, ...words: string[]) =>
      svc(['verify', url, ...options, ...words], { folder }),
    close: async () => {
      await Promise.all([host.close(), names.close(), node.close()])
      rmSync(folder, { recursive: true })
    },
  }
}
