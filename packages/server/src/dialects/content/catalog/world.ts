/**
 * The team behind every example: the blog of a bicycle workshop. One article goes through its whole life, so
 * a reader who puts the examples side by side sees the same ids come back.
 */
export const people = { editor: 'usr_01K6ZQ4M2HANNA', owner: 'usr_01K6ZQ1T9OMAR' }

export const chainCare = {
  generation: {
    id: 'gen_01K7A2X5CHAIN',
    kind: 'article',
    title: 'Chain care for winter commuters',
    content_id: 'cnt_01K7A2X4CHAIN',
  },
  firstVersion: 'ver_01K7A39BCHAIN1',
  secondVersion: 'ver_01K7A5FKCHAIN2',
  schedule: 'sch_01K7A6P0CHAIN',
  comment: 'cmt_01K7A4C8CHAIN',
  publication: {
    id: 'pub_01K7B0D7CHAIN',
    slug: 'winter-chain-care',
    destination_id: 'dst_01K6ZS8RBLOG',
    url: 'https://blog.spokewell.example/winter-chain-care',
  },
}

export const wheelTruing = {
  generation: {
    id: 'gen_01K7C1V2WHEEL',
    kind: 'article',
    title: 'How to true a wheel at home',
    content_id: 'cnt_01K7C1V1WHEEL',
  },
  version: 'ver_01K7C2N6WHEEL1',
  schedule: 'sch_01K7C3A9WHEEL',
}

export const tyrePressure = {
  generationId: 'gen_01K7D4H3TYRES',
  title: 'Tyre pressure, explained without a chart',
  schedule: 'sch_01K7D5J7TYRES',
}

export const springPlan = {
  id: 'pln_01K79T0ESPRING',
  title: 'Spring: back on the bike',
  strategy_id: 'str_01K79S2CRIDERS',
}
