import { rootCauseText } from '../../db/root-cause-text.ts'
import { type Env, settingsOf } from '../../env.ts'
import { logEvent } from '../../log.ts'
import type { ChainName } from '../chain-settings.ts'

/** Restores lost alarms of watchers with triggers. Never throws. */
export async function wakeWatchers(env: Env): Promise<void> {
  const wake = async (chain: ChainName) => {
    try {
      await env.CHAIN_WATCHER.getByName(chain).wake()
    } catch (error) {
      logEvent(env, 'chain.asleep', { chain, reason: rootCauseText(error) })
    }
  }
  await Promise.all(Object.keys(settingsOf(env).CHAINS).map((chain) => wake(chain as ChainName)))
}
