/** An edge in front of origin processes, which it reaches through a load balancer. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadRootKey } from '../../origin/keys/root-key-file.ts'
import { freePort } from '../../origin/stack/ports.ts'
import { simulatedPinOf } from '../../origin/tee/simulated/provider.ts'
import { runner } from '../bench/edge.ts'
import { localServers, startLoadBalancer } from '../doubles/load-balancer.ts'
import { CHANNEL_PSK, type OriginProcess, type Origins } from './origins.ts'

/** The processes that are running now. */
export async function startEdgeOf({ origins, caFile }: Pick<Origins, 'origins' | 'caFile'>) {
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-edge-'))
  const proxy = await startLoadBalancer([])
  /** Also closes the connections to other processes. */
  const use = (chosen: readonly OriginProcess[]) => {
    proxy.use(localServers(chosen.map(({ url }) => Number(new URL(url).port))))
    proxy.disconnect()
  }
  use(origins)
  const baseUrl = `https://localhost:${proxy.port}`
  const port = await freePort()
  const triggersUrl = `http://localhost:${port}`
  const edge = runner('edge', stateDir, port, {
    EDGE_BINDINGS: JSON.stringify({
      SVC_ENV: 'local',
      ORIGIN_URL: baseUrl,
      PUBLIC_URL: triggersUrl,
      ORIGIN_TRUST: 'simulated',
      SIM_ROOT_SHA256: simulatedPinOf(loadRootKey(origins[0]!.stateDir, 'local')),
      CHANNEL_PSK: CHANNEL_PSK.toString('base64url'),
      ID_MAC_KEY: randomBytes(32).toString('base64url'),
    }),
    NODE_EXTRA_CA_CERTS: caFile,
  })
  const close = async () => {
    await edge.stop()
    proxy.close()
    rmSync(stateDir, { recursive: true, force: true })
  }
  try {
    await edge.waitForReady()
  } catch (error) {
    await close()
    throw error
  }
  return { baseUrl, triggersUrl, use, close }
}
