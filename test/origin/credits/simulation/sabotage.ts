/**
 * Defects injected into statements on their way to the database. The simulation must find them. `from` is slightly
 * below the first seed that finds the defect. After a change of the code, a later seed may be the first to find it.
 */
export const SABOTAGE: Record<string, { from: number; change: (text: string) => string }> = {
  'an account is read without its lock': {
    from: 5,
    change: (text) =>
      /from "credit_accounts"/.test(text) ? text.replace(/ for update$/, '') : text,
  },
  'a charge is named by its lease and place, without the number of its order': {
    from: 1,
    change: (text) => text.replaceAll(/'charge:([^:']+):\d+:(\d+)'/g, `'charge:$1:$2'`),
  },
  'a charge that is sent again has another name': {
    from: 215,
    change: (text) => anew(text, 'charge'),
  },
  'a payment that is credited again has another name': {
    from: 1,
    change: (text) => anew(text, 'payment'),
  },
  'a lease that is returned stays': {
    from: 1,
    change: (text) =>
      text.replace(
        /^delete from "credit_leases"(.*) returning (.*)$/,
        'select $2 from "credit_leases"$1',
      ),
  },
  'what is owed is not written down': {
    from: 29,
    change: (text) => text.replace(/^(update "credit_accounts" set .*"debt_cents" = )\d+/, '$10'),
  },
  'charges are not counted for the day': {
    from: 14,
    change: (text) => text.replace(/excluded\.cents/, '0'),
  },
}

let names = 0

function anew(text: string, kind: string): string {
  return text.replaceAll(new RegExp(`'${kind}:[^']*`, 'g'), (key) => `${key}:${++names}`)
}
