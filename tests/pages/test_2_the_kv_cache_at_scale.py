from tests.pages.conftest import Open, words

PATH = "pages/2_the_kv_cache_at_scale.py"


def test_opens(open_page: Open) -> None:
    at = open_page(PATH, shown="yes", reader="Engineer")
    print(words(at))
