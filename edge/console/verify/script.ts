import './no-code-of-text.ts'
import { look } from './look.ts'
import { showFailure, showReport } from './show.ts'

const { baseUrl, rpcUrl } = document.getElementById('evidence')!.dataset
look({ baseUrl: baseUrl!, rpcUrl: rpcUrl || undefined }).then(showReport, showFailure)
