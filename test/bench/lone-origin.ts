/** An origin process with a chain and a database, without an edge. */
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
import { CHANNEL_PSK, OriginProcess, PAYERS } from '../system/origins.ts'

export type LoneOrigin = { origin: OriginProcess; keyring: Keyring; close: () => Promise<void> }

export async function startLoneOrigin(databaseUrl: string): Promise<LoneOrigin> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const { caFile } = await loadTls(folder)
  const keyring = new Keyring(loadRootKey(folder, 'local'))
  const payers = Array.from({ length: PAYERS + 1 }, (_, n) =>
    addressFromPrivateKey(keyring.payerKey(n)),
  )
  const contract = await startContract(...payers)
  const origin = new OriginProcess('origin', folder, settingsFor(contract, databaseUrl), () => {})
  const close = async () => {
    await origin.kill()
    await contract.close()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    trustCa(caFile)
    await origin.start()
    return { origin, keyring, close }
  } catch (error) {
    await close()
    throw error
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
    SVC_CHANNEL_PSK: CHANNEL_PSK.toString('base64url'),
    SVC_PAYERS: String(PAYERS),
    SVC_STARTER_CREDITS_CENTS: '100000',
    // Disables load shedding: this measures the origin, on a possibly busy machine.
    SVC_SHED_DELAY_MS: '60000',
    SVC_SHED_CPU_PRESSURE: '100',
    SVC_NEW_ACCOUNT_BURST: '1000',
  }
}

/** Creates a key that is permitted to run the action and nothing else. */
export async function usageKeyFor(origin: OriginProcess, code: string): Promise<string> {
  const { api_key: master } = await origin.ok('new_account', {
    body: { account_name: 'bench', account_description: '' },
  })
  const group = {
    group_name: 'bench',
    group_description: '',
    pkp_ids_permitted: [],
    cid_hashes_permitted: [cidHash(await actionCid(code))],
  }
  const { group_id } = await origin.ok('add_group', { key: master, body: group })
  const granted = { name: 'bench', execute_in_groups: [group_id] }
  const { usage_api_key } = await origin.ok('add_usage_api_key', { key: master, body: granted })
  return usage_api_key
}
