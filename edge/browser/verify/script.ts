import './disable-zod-jit.ts'
import { verifyEvidence } from './verify-evidence.ts'
import { showFailure, showReport } from './show-report.ts'

const { baseUrl, rpcUrl } = document.getElementById('evidence')!.dataset
verifyEvidence({ baseUrl: baseUrl!, rpcUrl: rpcUrl || undefined }).then(showReport, showFailure)
