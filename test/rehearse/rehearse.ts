/** The steps of a deployment. Each one uses only what the steps before it returned. */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { JsonRpcProvider, parseEther, Wallet } from 'ethers'
import { makeChange } from '../../origin/contracts/governance/change.ts'
import { deployGovernance } from '../../origin/contracts/governance/deploy.ts'
import { LOCAL_FINALITY } from '../../origin/stack/chain.ts'
import { startNameServer } from '../../origin/stack/name-server.ts'
import { balanceOf } from '../../origin/stack/top-up.ts'
import { simulatedPinOf } from '../../origin/tee/simulated/provider.ts'
import { sourceCommit } from '../../shared/packaging/source-commit.ts'
import { startGuestAgent } from '../doubles/guest-agent.ts'
import { startLoadBalancer } from '../doubles/load-balancer.ts'
import { MAIL_FROM, MAIL_TOKEN } from '../doubles/mail-api.ts'
import { startPccs } from '../doubles/pccs.ts'
import { fundedKey } from '../origin/chain.ts'
import { ArchivedDatabase } from '../nightly/recovery/archived-database.ts'
import { ROOT, run } from './commands.ts'
import { documentedCommand } from './documented-command.ts'
import { startEdge } from './edge.ts'
import {
  EDGE,
  EDGE_URL,
  HOSTS,
  MACHINES,
  ORIGIN,
  ORIGIN_URL,
  RPC_HOSTS,
  RPC_URLS,
} from './hosts.ts'
import { centsOf, core, PAID_CENTS, createFirstAccount } from './first-account.ts'
import { startLoad } from './load.ts'
import { Machine } from './machine.ts'
import { startPublicServices } from './public-services.ts'
import { buildRoot } from './root-file-system.ts'

export type Rehearsal = {
  /** Performs a step, and prints what it shows. @returns the other members of its result */
  step: <Result extends { shown: string }>(
    name: string,
    act: () => Promise<Result>,
  ) => Promise<Omit<Result, 'shown'>>
  /** Receives each line of the services' logs. */
  onLine: (line: string) => void
}

/** Duration of the load after the database was restored. */
const LOAD_MS = 5_000

const secret = () => randomBytes(32).toString('base64url')

export async function rehearse(folder: string, { step, onLine }: Rehearsal): Promise<void> {
  const file = (name: string, content?: string) => {
    const path = join(folder, name)
    if (content !== undefined) writeFileSync(path, content, { mode: 0o600 })
    return path
  }

  const services = await step('the public services run', async () => {
    const shown =
      'a chain with three nodes, Postgres with TLS, a certificate authority, a payment processor, an e-mail API'
    return { shown, ...(await startPublicServices(folder)) }
  })
  const { authority, front, chain, postgres, processor, mail, acme } = services
  const env = { NODE_EXTRA_CA_CERTS: services.caFile }
  const node = new JsonRpcProvider(chain.rpcUrl, undefined, {
    staticNetwork: true,
    cacheTimeout: -1,
  })
  const wallet = (n: number) => new Wallet(fundedKey(n), node)
  /** Runs a command of docs/deploy.md. @returns its standard output */
  const documented = (
    text: string,
    values: Record<string, string>,
    { more = '', exitCode = 0 } = {},
  ) => run(`${documentedCommand('docs/deploy.md', text, values)} ${more}`, { env, exitCode })
  const json = (output: string) => JSON.parse(output.slice(output.indexOf('{')))

  const image = (commit: string) =>
    step(`1. the image of ${commit.slice(0, 8)}`, async () => {
      const root = join(folder, commit)
      const layer = await buildRoot(root, { commit, authority: authority.pem })
      return { shown: `layer ${layer.digest}`, root, digest: layer.digest }
    })
  const first = await image((await sourceCommit(ROOT)).replace(/-dirty$/, ''))

  const contracts = await step('2. the contracts', async () => {
    const members = [wallet(1), wallet(2), wallet(3)]
    const addresses = members.map(({ address }) => address)
    const governance = await deployGovernance(members[0]!, addresses, 2)
    const multisig = wallet(0)
    const deployed = json(
      await documented('contracts -- deploy --rpc', {
        '<node>': RPC_URLS[0]!,
        "<deployer's key>": file('deployer.key', fundedKey(5)),
        '<multisig>': multisig.address,
      }),
    ) as { address: string; block: number; nominee_sends: object }
    await (await multisig.sendTransaction(deployed.nominee_sends)).wait()
    const on = { '<node>': RPC_URLS[0]!, '<contract>': deployed.address }
    const status = json(await documented('contracts -- status', on))
    if (status.owner !== multisig.address) throw new Error(`the owner is ${status.owner}`)
    const shown = `governance ${governance.address}, AccountConfig ${deployed.address}`
    return { shown, governance: governance.address, members, multisig, on, ...deployed }
  })
  const appId = contracts.governance.slice(2).toLowerCase()

  // What all machines have in common, for dstack and for the hardware.
  const platform = { kmsKey: randomBytes(32), platformKey: randomBytes(32) }
  const agentOf = (appCompose: string) =>
    startGuestAgent(appCompose, { ...platform, appId: Buffer.from(appId, 'hex') })

  const chainId = Number((await node.getNetwork()).chainId)
  const chains = { ethereum: { chain_id: chainId, rpc: RPC_URLS, finality: LOCAL_FINALITY } }
  const psk = secret()
  const secretsFile = file(
    'secrets.env',
    [
      `DATABASE_URL=${postgres.url()}?sslmode=verify-full`,
      `SVC_CHANNEL_PSK=${psk}`,
      `SVC_METRICS_TOKEN=${secret()}`,
      ...Object.entries(processor.settings)
        .filter(([name]) => name !== 'SVC_PROCESSOR_URL')
        .map(([name, value]) => `${name}=${value}`),
      '',
    ].join('\n'),
  )

  const approve = (version: string, digest: string) =>
    step(`4. what is measured, ${version}`, async () => {
      const { kmsRoot, close } = await agentOf('{}')
      await close()
      const deployment = {
        image: `registry.rehearsal.example/svc-origin@${digest}`,
        SVC_KMS_ROOT: kmsRoot.toString('hex'),
        SVC_PUBLIC_URL: ORIGIN_URL,
        SVC_CHAIN_NAME: 'rehearsal',
        SVC_CHAIN_RPC: RPC_URLS.join(','),
        SVC_CHAIN_FINALITY: LOCAL_FINALITY,
        SVC_CONTRACT_ADDRESS: contracts.address,
        SVC_CONTRACT_BLOCK: contracts.block,
        CHAINS: chains,
        SVC_OUTBOUND_DENY: EDGE,
        SVC_DATABASE_CA: authority.pem.replaceAll(/-----.*-----|\n/g, ''),
      }
      const values = file(`deployment-${version}.json`, JSON.stringify(deployment))
      const composeFile = file(`app-compose-${version}.json`)
      const files = { 'deployment.json': values, 'app-compose.json': composeFile }
      const out = await documented('run app-compose -- deployment.json app-compose.json', files)
      const composeHash = /compose hash ([0-9a-f]{64})/.exec(out)![1]!
      const { governance, members } = contracts
      await makeChange(governance, 'allowComposeHash', `0x${composeHash}`, members.slice(0, 2))
      const agent = await agentOf(readFileSync(composeFile, 'utf8'))
      return { shown: `compose hash ${composeHash}`, composeFile, composeHash, agent }
    })
  const approved = await approve('n', first.digest)

  const backup = new ArchivedDatabase(postgres, join(folder, 'archive'))
  await step('6. the archive of Postgres', async () => {
    await backup.archive()
    return { shown: 'continuous, with the settings of docs/backup.md' }
  })

  await step('5. the preflight of the origin', async () => {
    const files = { 'app-compose.json': approved.composeFile, 'secrets.env': secretsFile }
    await documented('preflight -- origin --compose', files)
    return { shown: 'no faults' }
  })

  const machineOf = (address: string, name: string, version: typeof approved, root: string) => {
    return new Machine({
      root,
      composeFile: version.composeFile,
      secretsFile,
      folder: join(folder, name),
      socket: version.agent.socketPath,
      address,
      onLine: (line) => onLine(`${name} | ${line}`),
    })
  }
  const machines = await step('5. two machines', async () => {
    const pccs = await startPccs(await approved.agent.machine.collateral())
    await front('pccs.rehearsal.example', pccs.url)
    const at = (port: number) => MACHINES.map((host) => ({ host, port }))
    const listen = { host: HOSTS[ORIGIN], port: 443 }
    const balancer = await startLoadBalancer(at(8443), { listen, healthOf: ORIGIN })
    await startLoadBalancer(at(8080), { listen: { host: '127.0.0.1', port: 80 } })
    const [a, b] = MACHINES.map((address, n) =>
      machineOf(address, `machine-${n}`, approved, first.root),
    )
    await Promise.all([a!.start(), b!.start()])
    await balancer.waitForAll()
    return { shown: `behind ${ORIGIN}, each with its own certificate`, balancer, a: a!, b: b! }
  })

  const nameServer = await step('7. the CAA record', async () => {
    const url = `${ORIGIN_URL}/evidences/acme-account.json`
    const { uri } = (await (await fetch(url)).json()) as { uri: string }
    acme.control.caa = [uri]
    return { shown: `only ${uri}`, address: (await startNameServer(ORIGIN, uri)).address }
  })
  const verify = (version: typeof approved) =>
    step('10. svc verify', async () => {
      const { tcb_info } = await version.agent.machine.info()
      const { mrtd, rtmr0, rtmr1, rtmr2 } = tcb_info as Record<string, string>
      const measurements = JSON.stringify([{ mrtd, rtmr0, rtmr1, rtmr2 }])
      const values = {
        '<origin>': ORIGIN,
        '<node of the governance contract>': RPC_HOSTS[0]!,
        '<app id>': appId,
        '<compose hash>': version.composeHash,
        'measurements.json': file('measurements.json', measurements),
        'first.json': file('first.json'),
      }
      const more = `--dns-server ${nameServer.address} --ca ${services.caFile}`
      // 3: all rules pass, but the machine is simulated.
      const out = await documented('svc verify https://<origin> --rpc-url', values, {
        more,
        exitCode: 3,
      })
      const passed = out.match(/PASSED/g)?.length ?? 0
      return { shown: `${passed} rules pass; SIMULATED, because the hardware is a double` }
    })
  await verify(approved)

  await step('8. the payers', async () => {
    const info = (await (await fetch(`${ORIGIN_URL}/info`)).json()) as { api_payers: string[] }
    const { on, multisig } = contracts
    const addresses = { '<all of them>': info.api_payers.join(' ') }
    const out = await documented('contracts -- add-payers --rpc', { ...on, ...addresses })
    await (await multisig.sendTransaction(json(out).owner_sends)).wait()
    const [funder] = info.api_payers
    await (await wallet(4).sendTransaction({ to: funder!, value: parseEther('100') })).wait()
    return { shown: `${info.api_payers.length} wallets, registered and funded` }
  })

  const edge = await step('9. the edge', async () => {
    const deployed = await startEdge({
      folder: join(folder, 'edge'),
      url: EDGE_URL,
      certificate: await authority.issue({ names: [EDGE] }),
      wranglerVars: {
        PUBLIC_URL: EDGE_URL,
        ORIGIN_URL,
        ORIGIN_APP_ID: appId,
        GOVERNANCE_RPC: RPC_URLS[0]!,
        SIM_ROOT_SHA256: simulatedPinOf(platform.platformKey),
      },
      secrets: {
        CHANNEL_PSK: psk,
        ID_MAC_KEY: secret(),
        METRICS_TOKEN: secret(),
        MAILER: JSON.stringify({
          api: 'resend',
          from: MAIL_FROM,
          token: MAIL_TOKEN,
          url: `${mail.url}/rehearsal`,
        }),
        CHAINS: JSON.stringify(chains),
      },
      env,
      onLine: (line) => onLine(`edge | ${line}`),
    })
    return {
      shown: 'the preflight passes, /health is ok; production refuses the simulated quote',
      deployed,
    }
  })

  const { journey } = await step('the first account and webhook', async () => {
    const used = await createFirstAccount({ processor, mailUrl: `${mail.url}/rehearsal` })
    return { shown: `${used.steps} steps: paid, permitted, signed by a wallet`, ...used }
  })

  const next = await image(randomBytes(20).toString('hex'))
  const nextApproved = await approve('n+1', next.digest)
  await step('Backup: a base backup', async () => {
    await backup.backUp()
    return { shown: 'while the machines run' }
  })
  const upgraded = await step('Upgrade: machine by machine under load', async () => {
    const load = startLoad({ coreUrl: ORIGIN_URL, triggersUrl: EDGE_URL, journey })
    const { balancer } = machines
    const started: Machine[] = []
    for (const [n, old] of [machines.a, machines.b].entries()) {
      const stopped = await old.stop()
      if (stopped !== 'exited with code 0') throw new Error(`the old machine ${stopped}`)
      const machine = machineOf(old.address, `machine-${n}-new`, nextApproved, next.root)
      await machine.start()
      await balancer.waitForAll()
      started.push(machine)
    }
    const { calls, webhooks, refusals } = await load.end()
    const shown = `${calls} calls and ${webhooks} webhooks, none failed; ${refusals} calls repeated after a refusal`
    return { shown, machines: started }
  })
  await step('Upgrade: the old version is withdrawn', async () => {
    const { governance, members } = contracts
    const subject = `0x${approved.composeHash}`
    await makeChange(governance, 'withdrawComposeHash', subject, members.slice(0, 2))
    return { shown: `compose hash ${approved.composeHash.slice(0, 16)}…` }
  })
  await verify(nextApproved)

  await step('Backup: Postgres is lost, and restored', async () => {
    const { accountKey } = journey
    const before = await balanceOf(core, accountKey)
    await Promise.all(upgraded.machines.map((machine) => machine.stop()))
    await backup.destroy()
    await edge.deployed.deploy({ POSTGRES_RESTORED_AT: new Date().toISOString() })
    await backup.restore()
    await Promise.all(upgraded.machines.map((machine) => machine.start()))
    await machines.balancer.waitForAll()
    const after = await balanceOf(core, accountKey)
    // Charges of the last minute before the loss may be missing from the archive, but no payment.
    if (centsOf(after) < centsOf(before) || centsOf(after) > PAID_CENTS)
      throw new Error(`the balance was ${before}, and is ${after}`)
    const load = startLoad({ coreUrl: ORIGIN_URL, triggersUrl: EDGE_URL, journey })
    await sleep(LOAD_MS)
    const { calls, webhooks } = await load.end()
    return {
      shown: `the balance was ${before}, and is ${after}; ${calls} calls and ${webhooks} webhooks`,
    }
  })
}
