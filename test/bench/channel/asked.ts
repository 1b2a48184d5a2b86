import type { EvidenceBundle } from '../../../shared/attestation/evidence.ts'

/** What the Worker of this bench is asked to do, one time after the other. */
export type Asked = {
  times: number
  request: {
    credential: { api_key: string }
    code: string
    js_params: Record<string, unknown>
    wait_ms: number
  }
  bundle: EvidenceBundle
}
