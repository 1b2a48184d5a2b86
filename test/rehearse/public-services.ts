/** Doubles of everything outside of the deployment, at their public names. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { trustCa } from '../../origin/stack/trust-ca.ts'
import { startAcmeServer } from '../doubles/acme-server.ts'
import { makeAuthority } from '../doubles/certificates.ts'
import { startMailApi } from '../doubles/mail-api.ts'
import { startProcessor } from '../doubles/processor/server.ts'
import { startChain } from '../origin/chain.ts'
import { startDatabase } from './database.ts'
import { type Host, RPC_HOSTS, startTlsFront } from './hosts.ts'

/** They run until the process ends. This process trusts their certificates afterwards. */
export async function startPublicServices(folder: string) {
  const authority = await makeAuthority()
  const caFile = join(folder, 'authority.pem')
  writeFileSync(caFile, authority.pem)
  trustCa(caFile)
  const issue = (name: string) => authority.issue({ names: [name] })
  const [chain, postgres, processor] = await Promise.all([
    startChain(),
    issue('127.0.0.1').then((certificate) => startDatabase(join(folder, 'database'), certificate)),
    startProcessor({ livemode: true }),
  ])
  const mail = await startMailApi(await issue('127.0.0.1'))
  const acme = await startAcmeServer(authority, { challengePort: 80 })
  /** Serves a URL of this machine as the host, with TLS. */
  const front = async (host: Host, url: string) =>
    startTlsFront(host, await issue(host), { port: Number(new URL(url).port) })
  for (const host of RPC_HOSTS) await front(host, chain.rpcUrl)
  await front('api.stripe.com', processor.url)
  await front('acme-v02.api.letsencrypt.org', acme.directoryUrl)
  return { authority, caFile, front, chain, postgres, processor, mail, acme }
}
