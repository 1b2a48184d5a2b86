/** Worker thread of `SourceCids`. It handles one job at a time, has no access to keys, and has an empty environment. */
import { parentPort } from 'node:worker_threads'
import { actionCid } from '../../../shared/cid/compute-cid.ts'
import { SOURCE_MAX_BYTES } from '../../../shared/limits.ts'
import { readSource, InvalidSourceError } from './json-source.ts'
import type { CidResult, CidJob } from './source-cids.ts'

parentPort!.on('message', (job: CidJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is a thread's port, not a window
  void runJob(job).then((answer) => parentPort!.postMessage(answer))
})

async function runJob({ kind, bytes }: CidJob): Promise<CidResult> {
  try {
    const source =
      kind === 'json' ? readSource(bytes, SOURCE_MAX_BYTES) : new TextDecoder().decode(bytes)
    return { cid: await actionCid(source) }
  } catch (error) {
    if (error instanceof InvalidSourceError) return { fault: error.fault }
    return { failed: String(error) }
  }
}
