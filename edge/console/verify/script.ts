/** The script of the page `/verify`. `build.ts` makes `script.txt` of it. */
import { z } from 'zod'
import { look } from './look.ts'
import { showFailure, showReport } from './show.ts'

// The page's policy forbids to make code of text, and the attempt alone would be reported.
z.config({ jitless: true })

const { baseUrl, rpcUrl } = document.getElementById('evidence')!.dataset
look({ baseUrl: baseUrl!, rpcUrl: rpcUrl || undefined }).then(showReport, showFailure)
