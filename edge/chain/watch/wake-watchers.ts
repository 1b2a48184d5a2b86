import { rootCauseText } from '../../db/root-cause-text.ts'
import { type Env, environmentFaults, settingsOf } from '../../env.ts'
import { logEvent } from '../../log.ts'
import type { ChainName } from '../../../shared/config/chain-settings.ts'

/** Restores lost alarms of watchers with triggers. Never throws. */
export async function wakeWatchers(env: Env): Promise<void> {
  const wake = async (chain: ChainName) => {
    try {
      await env.CHAIN_WATCHER.getByName(chain).wake()
    } catch (error) {
      logEvent(env, 'chain.asleep', { chain, reason: rootCauseText(error) })
    }
  }
  // The settings of a new deployment may be faulty while alarms of an earlier one are due.
  if (environmentFaults(env).length > 0) return
  await Promise.all(Object.keys(settingsOf(env).CHAINS).map((chain) => wake(chain as ChainName)))
}
