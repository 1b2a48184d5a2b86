/** Generates the table of alerts in `docs/operate.md` from the rules in `docs/monitoring/` (`npm run alerts-page`). */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const at = (path: string) => fileURLToPath(new URL(`../docs/${path}`, import.meta.url))

export const ALERTS_PAGE = at('operate.md')

export type Rule = {
  record?: string
  alert?: string
  expr: string
  for?: string
  labels: Record<string, string>
  annotations: Record<string, string>
}

const TABLE = /(<!-- alerts: ([\w.]+) -->\n)[^]*?(<!-- end -->)/g

export function alertsPage(page: string): string {
  return page.replaceAll(TABLE, (_, begin: string, file: string, end: string) => {
    const alerts = rulesOf(readFileSync(at(`monitoring/${file}`), 'utf8')).filter(
      ({ alert }) => alert !== undefined,
    )
    return `${begin}${['| Alert | Severity | Meaning | Fires if |', '|---|---|---|---|', ...alerts.map(row)].join('\n')}\n${end}`
  })
}

/** Rules of all groups of a rule file, in order. */
export function rulesOf(file: string): Rule[] {
  const { groups } = parse(file) as { groups: { rules: Rule[] }[] }
  return groups.flatMap(({ rules }) => rules)
}

function row({ alert, expr, labels, annotations, ...rule }: Rule): string {
  const duration = rule.for === undefined ? '' : ` for ${rule.for}`
  const { summary, runbook } = annotations
  const link = runbook!.replace(/^operate\.md/, '')
  const condition = `\`${expr.replaceAll('|', String.raw`\|`)}\`${duration}`
  return `| \`${alert}\` | ${labels['severity']} | [${summary}](${link}) | ${condition} |`
}

if (import.meta.main) writeFileSync(ALERTS_PAGE, alertsPage(readFileSync(ALERTS_PAGE, 'utf8')))
