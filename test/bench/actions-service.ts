/** Measures the start of an origin with existing state, and a `svc_action` over HTTPS with a usage key. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addressFromPrivateKey, Keyring } from '../../origin/keys/keyring.ts'
import { loadRootKey } from '../../origin/keys/root-key-file.ts'
import { LOCAL_FINALITY } from '../../origin/stack/chain.ts'
import { trustCa } from '../../origin/stack/trust-ca.ts'
import { loadTls } from '../../origin/tls.ts'
import { actionCid } from '../../shared/cid/compute-cid.ts'
import { cidHash } from '../../shared/cid/cid-format.ts'
import { startContract } from '../origin/accounts/contract.ts'
import { freshDatabase } from '../origin/db/fresh-database.ts'
import { OriginProcess, PAYERS } from '../system/origins.ts'
import { median, type Metric } from './report.ts'

const CODE = 'async function main(params) { return params.a + 1 }'
const STARTS = 5
const WARM_UP = 300
const CALLS = 1_500

export async function measureService(metric: (values: Omit<Metric, 'bench'>) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const { caFile } = await loadTls(folder)
  const keyring = new Keyring(loadRootKey(folder, 'local'))
  const payers = Array.from({ length: PAYERS + 1 }, (_, n) =>
    addressFromPrivateKey(keyring.payerKey(n)),
  )
  const contract = await startContract(...payers)
  const database = await freshDatabase()
  const settings = settingsFor(contract, database.url)
  const origin = new OriginProcess('origin', folder, settings, () => {})
  try {
    trustCa(caFile)
    await origin.start()
    const key = await usageKey(origin)
    const body = { code: CODE, js_params: { a: 41 } }
    for (let call = 0; call < WARM_UP; call++) await origin.ok('svc_action', { key, body })
    const times: number[] = []
    for (let call = 0; call < CALLS; call++) {
      const { status, sentAt, answeredAt } = await origin.call('svc_action', { key, body })
      if (status !== 200) throw new Error(`svc_action answered ${status}`)
      times.push(answeredAt - sentAt)
    }
    const floor: number[] = []
    for (let call = 0; call < CALLS; call++) {
      const { sentAt, answeredAt } = await origin.call('version')
      floor.push(answeredAt - sentAt)
    }
    const [value, baseline] = [median(times), median(floor)]
    const ratio = value / baseline
    metric({ metric: 'svc_action_p50_ms', value, unit: 'ms', baseline, ratio })

    const starts: number[] = []
    for (let start = 0; start < STARTS; start++) {
      await origin.stop()
      const began = performance.now()
      await origin.start()
      starts.push((performance.now() - began) / 1000)
    }
    metric({ metric: 'origin_boot_s', value: median(starts), unit: 's' })
  } finally {
    await origin.kill()
    await contract.close()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function settingsFor(
  { rpcUrl, chain }: Awaited<ReturnType<typeof startContract>>,
  databaseUrl: string,
) {
  return {
    SVC_ENV: 'local',
    SVC_TEE: 'simulated',
    SVC_ORIGIN_PORT: '0',
    SVC_PUBLIC_URL: 'https://localhost',
    SVC_CHAIN_RPC: rpcUrl,
    SVC_CONTRACT_ADDRESS: chain.contractAddress,
    SVC_CONTRACT_BLOCK: String(chain.contractBlock),
    SVC_CHAIN_FINALITY: String(LOCAL_FINALITY),
    DATABASE_URL: databaseUrl,
    SVC_CHANNEL_PSK: Buffer.alloc(32, 1).toString('base64url'),
    SVC_PAYERS: String(PAYERS),
    SVC_STARTER_CREDITS_CENTS: '100000',
    // Disables load shedding: this measures a single caller, on a possibly busy machine.
    SVC_SHED_DELAY_MS: '60000',
    SVC_NEW_ACCOUNT_BURST: '1000',
  }
}

/** Creates a key that is permitted to run the action and nothing else. */
async function usageKey(origin: OriginProcess): Promise<string> {
  const { api_key: master } = await origin.ok('new_account', {
    body: { account_name: 'bench', account_description: '' },
  })
  const group = {
    group_name: 'bench',
    group_description: '',
    pkp_ids_permitted: [],
    cid_hashes_permitted: [cidHash(await actionCid(CODE))],
  }
  const { group_id } = await origin.ok('add_group', { key: master, body: group })
  const granted = { name: 'bench', execute_in_groups: [group_id] }
  const { usage_api_key } = await origin.ok('add_usage_api_key', { key: master, body: granted })
  return usage_api_key
}
