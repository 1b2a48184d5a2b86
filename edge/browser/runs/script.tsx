import { enableCopyButtons } from '../components/copy-on-click.ts'
import { followOutput } from './follow-output.tsx'
import { followRun } from './follow-run.tsx'
import { followTrigger, type ShownTrigger } from './follow-trigger.tsx'
import type { RunWithTransactions } from './run-view.ts'
import { showTransactions } from './show-transactions.ts'

enableCopyButtons()

const trigger = document.getElementById('trigger')
if (trigger) {
  const shown = trigger.dataset as ShownTrigger
  followTrigger(shown)
  const output = document.querySelector<HTMLDetailsElement>('#output')
  if (output) followOutput(output, shown.trigger)
}

const run = document.getElementById('run')
const transactions = document.getElementById('transactions')
if (run && transactions) {
  // If a script cannot be loaded, the page still shows the IDs.
  const show = (shown: RunWithTransactions) =>
    void showTransactions(transactions, shown).catch(() => {})
  show(JSON.parse(transactions.dataset.run!) as RunWithTransactions)
  if (run.dataset.live !== undefined) followRun(run, run.dataset.run!, show)
}
