import { defineAction } from '@svc-run/cli/action'
import { formatISO, isBefore, parseISO, startOfToday, subDays } from 'date-fns'
import * as z from 'zod'

/** The places and the source are part of the code, so that a caller cannot choose others. */
const PLACES = {
  kisumu: { latitude: -0.1, longitude: 34.75 },
  nakuru: { latitude: -0.28, longitude: 36.07 },
} as const
const SOURCE = 'https://api.open-meteo.com/v1/forecast'

const isoDay = (date: Date) => formatISO(date, { representation: 'date' })

/** Without `day`, the day that has ended last (UTC). */
const Params = z.object({
  place: z.enum(Object.keys(PLACES) as (keyof typeof PLACES)[]),
  day: z.iso
    .date()
    .default(() => isoDay(subDays(new Date(), 1)))
    .refine((day) => isBefore(parseISO(day), startOfToday()), 'the day has not ended'),
})

/** Signs the rainfall of a day with the action’s own key, which no other code has. */
export default defineAction(async (params: unknown) => {
  const { place, day } = Params.parse(params)
  const value = {
    place,
    day: Number(day.replaceAll('-', '')),
    tenthsOfMillimeter: Math.round((await rainfall(place, day)) * 10),
  }
  const wallet = new ethers.Wallet(await Svc.Actions.getSvcActionPrivateKey())
  const signature = await wallet._signTypedData(
    { name: 'Rainfall', version: '1' },
    {
      Rainfall: [
        { name: 'place', type: 'string' },
        { name: 'day', type: 'uint32' },
        { name: 'tenthsOfMillimeter', type: 'uint32' },
      ],
    },
    value,
  )
  return { ...value, oracle: wallet.address, signature }
})

/** @returns millimeters */
async function rainfall(place: keyof typeof PLACES, day: string): Promise<number> {
  const { latitude, longitude } = PLACES[place]
  const query = `latitude=${latitude}&longitude=${longitude}&start_date=${day}&end_date=${day}&daily=precipitation_sum&timezone=UTC`
  const response = await fetch(`${SOURCE}?${query}`, { signal: AbortSignal.timeout(10_000) })
  if (!response.ok) throw new Error(`the source responded with ${response.status}`)
  const { daily } = z
    .object({
      daily_units: z.object({ precipitation_sum: z.literal('mm') }),
      daily: z.object({
        time: z.tuple([z.literal(day)]),
        precipitation_sum: z.tuple([z.number().min(0).max(2000)]),
      }),
    })
    .parse(await response.json())
  return daily.precipitation_sum[0]
}
